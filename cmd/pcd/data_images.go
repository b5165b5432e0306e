package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment/portraits"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/tensor"
)

// portraitOptions are the flags of "pcd data gen images".
type portraitOptions struct {
	Seed     uint64  `json:"seed"`
	Count    int     `json:"portraits"`
	Size     int     `json:"size"`
	Columns  int     `json:"columns"`
	Youngest float64 `json:"youngest"`
	Oldest   float64 `json:"oldest"`
	Single   bool    `json:"single"`
	dir      string
}

// portraitColumns is the default number of portraits in a row.
const portraitColumns = 8

func newDataGenImagesCommand(_ string, invocation []string) *cobra.Command {
	var o portraitOptions
	c := &cobra.Command{
		Use:   "images",
		Short: "Draw portraits, to look at",
		Long: `Draws portraits as the image model learns from them, and writes all of them as
portraits.png. Portrait 17 of a seed is always the same. Half of them are below 50 years
old, and half are men.

` + exitCodeHelp,
		Example: "  pcd data gen images --portraits 24 --youngest 60 -o data/portraits",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := o.run(cmd.Context(), invocation, cmd.ErrOrStderr())
			printWritten(cmd.OutOrStdout(), files...)
			return err
		},
	}
	f := c.Flags()
	f.StringVarP(&o.dir, "output", "o", filepath.Join("data", "images"), "directory")
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the people")
	number(f, &o.Count, settings.Number{Name: "portraits", Default: 32, Low: 1, High: 4096, Whole: true, Help: "how many"})
	number(f, &o.Size, settings.Number{Name: "size", Default: 128, Low: 16, High: 1024, Whole: true, Unit: "pixels", Help: "pixels of a side"})
	number(f, &o.Columns, settings.Number{Name: "columns", Default: portraitColumns, Low: 1, High: 256, Whole: true, Help: "portraits in a row"})
	number(f, &o.Youngest, settings.Number{Name: "youngest", Default: portrait.Youngest, Low: portrait.Youngest, High: portrait.Oldest, Unit: "years", Help: "least age, years"})
	number(f, &o.Oldest, settings.Number{Name: "oldest", Default: portrait.Oldest, Low: portrait.Youngest, High: portrait.Oldest, Unit: "years", Help: "greatest age, years"})
	f.BoolVar(&o.Single, "single", false, "also write a file for each portrait")
	return c
}

// check returns a usage error for what cannot be drawn.
func (o portraitOptions) check() error {
	if pixels := o.Count * o.Size * o.Size; pixels > 1<<28 {
		return usageError{fmt.Errorf("--portraits %d of --size %d are %d pixels, want at most %d", o.Count, o.Size, pixels, 1<<28)}
	}
	if o.Youngest > o.Oldest {
		return usageError{fmt.Errorf("--youngest is %g and --oldest %g, want %g to %g in this order", o.Youngest, o.Oldest, portrait.Youngest, portrait.Oldest)}
	}
	return nil
}

func (o portraitOptions) run(ctx context.Context, invocation []string, stderr io.Writer) ([]string, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	out, err := openOutput(stderr, o.dir, newRecord("data gen images", invocation, o.Seed, o), "portraits.png")
	if err != nil {
		return nil, err
	}
	defer out.Close()
	photos := portraits.Photos{Album: portrait.Album{Seed: o.Seed, Ages: [2]float64{o.Youngest, o.Oldest}}, Size: o.Size, N: o.Count}
	x := tensor.New(1, photos.Shape()...)
	var all []*dataset.Picture
	for i := range o.Count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		photos.Example(x.Data, nil, i)
		p := dataset.PictureOf(x.Data, o.Size, o.Size, -1, 1)
		all = append(all, p)
		if !o.Single {
			continue
		}
		if err := out.Add(fmt.Sprintf("portrait-%03d.png", i), p.WritePNG); err != nil {
			return nil, err
		}
	}
	if err := out.Add("portraits.png", dataset.Grid(all, o.Columns, 4, 255).WritePNG); err != nil {
		return nil, err
	}
	return deliverOutput(stderr, out)
}
