package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment/images"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/latent"
)

// chordOptions are the flags of figures about the chord between two exemplars.
type chordOptions struct {
	from  pairSource
	steps int
	count int // of points or samples
	seed  uint64
	out   string
}

// segments opens the chords of both images.
func (o *chordOptions) segments(ctx context.Context) ([]images.Segment, error) {
	s, err := o.from.open()
	if err != nil {
		return nil, err
	}
	return images.Segments(ctx, s, o.steps)
}

// newPlotChordCommand makes a command that draws something about the chords.
func newPlotChordCommand(name, short string, count settings.Number, o *chordOptions, draw func(ctx context.Context, stdout, stderr io.Writer) error) *cobra.Command {
	c := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			check := render.CheckFigurePath
			if name == stripsName {
				check = checkPNG
			}
			if err := checkPicture(o.out, check); err != nil {
				return err
			}
			return draw(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.from.addTo(f)
	number(f, &o.count, count)
	if name == stripsName {
		f.StringVarP(&o.out, "output", "o", name+".png", "file, ending in .png")
		return c
	}
	number(f, &o.steps, planner.PairSteps)
	renamed(f, "steps", "sampling-steps")
	figureFlag(c, &o.out, name+".png")
	return c
}

// stripsName is the figure that is a picture and no drawing.
const stripsName = "strips"

// checkPNG refuses names of other pictures than PNG.
func checkPNG(path string) error {
	err := render.CheckFigurePath(path)
	if err == nil && strings.ToLower(filepath.Ext(path)) != ".png" {
		return &render.FormatError{Path: path, Known: []string{".png"}}
	}
	return err
}

func newPlotStripsCommand() *cobra.Command {
	o := new(chordOptions)
	return newPlotChordCommand(stripsName, "Decode the chord between two exemplars, a row for each image", images.SpecDecoded.With(11, "how many"), o, func(ctx context.Context, stdout, _ io.Writer) error {
		segments, err := o.segments(ctx)
		if err != nil {
			return err
		}
		var all []*dataset.Picture
		for _, s := range segments {
			x, err := s.Strip(ctx, o.count)
			if err != nil {
				return err
			}
			all = append(all, latent.Pictures(x)...)
		}
		return savePictures(stdout, atomicfile.Output{Path: o.out, Save: dataset.Grid(all, o.count, 4, 255).WritePNG})
	})
}

func newPlotScoresCommand() *cobra.Command {
	o := new(chordOptions)
	return newPlotChordCommand("scores", "The score along the chord between two exemplars, at every timestep", images.SpecPoints.With(101, "how many"), o, func(ctx context.Context, stdout, stderr io.Writer) error {
		segments, err := o.segments(ctx)
		if err != nil {
			return err
		}
		var panels []render.Heat
		for _, s := range segments {
			scores, err := s.Scores(ctx, o.count, newProgress(stderr, s.Gender.String()))
			if err != nil {
				return err
			}
			panels = append(panels, heatOf(scores))
		}
		return saveFigure(stdout, render.HeatMaps(2, panels...), o.out)
	})
}

// heatOf returns scores with the last timestep, where there is no noise, at the bottom.
func heatOf(s *images.Scores) render.Heat {
	n := len(s.Timesteps)
	h := render.Heat{
		Title: fmt.Sprintf("%s, score along the chord of length %.1f", s.Gender, s.Length), X: "from the first to the second exemplar", Y: "timestep",
		XRange: [2]float64{0, 1}, YRange: [2]float64{float64(s.Timesteps[n-1]), float64(s.Timesteps[0])},
	}
	for i := range s.Along {
		h.Rows = append(h.Rows, s.Along[n-1-i])
	}
	return h
}

func newPlotRatioCommand() *cobra.Command {
	o := new(chordOptions)
	c := newPlotChordCommand("ratio", "How much longer the score is than its part along the chord", images.SpecSamples.With(25, "how many"), o, func(ctx context.Context, stdout, stderr io.Writer) error {
		segments, err := o.segments(ctx)
		if err != nil {
			return err
		}
		var axes []render.Axes
		var curves [][]render.Curve
		for _, s := range segments {
			r, err := s.Ratio(ctx, o.count, o.seed, newProgress(stderr, s.Gender.String()))
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s: r_t is %.1f in the mean of the steps that are no outliers\n", s.Gender, r.Level)
			a, c := ratioPanel(r)
			axes, curves = append(axes, a), append(curves, c)
		}
		return saveFigure(stdout, render.CurveGrid(2, axes, curves), o.out)
	})
	c.Flags().Uint64Var(&o.seed, "seed", 0, "seed of the samples")
	return c
}

// ratioPanel draws the ratio without outliers, and those for themselves.
func ratioPanel(r *images.Ratio) (render.Axes, []render.Curve) {
	all, outliers := render.Curve{Name: "r"}, render.Curve{Name: "outliers", Points: true}
	for i, t := range r.Timesteps {
		c := &all
		if r.Outliers[i] {
			c = &outliers
		}
		c.X, c.Y = append(c.X, float64(t)), append(c.Y, r.Mean[i])
	}
	set := []render.Curve{all}
	if len(outliers.X) > 0 {
		set = append(set, outliers)
	}
	return render.Axes{Title: fmt.Sprintf("%s, mean %.1f", r.Gender, r.Level), X: "timestep", Y: "score over its part along the chord", LogY: true}, set
}
