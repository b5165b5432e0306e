package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment/portraits"
	"github.com/go-pcd/pcd/internal/plural"
)

// cardSteps are those of the published cards; the tests of commands take fewer.
var cardSteps = portraits.CardSteps

// assembleSummary is what "pcd image assemble" prints.
type assembleSummary struct {
	*portraits.Card
	Files []string `json:"files"`
}

func newImageAssembleCommand(invocation []string) *cobra.Command {
	var dir, base string
	var asJSON bool
	c := &cobra.Command{
		Use:   "assemble DIR",
		Short: "Make a model of parts that were trained",
		Long: `Makes a model folder in the published layout of the parts that "pcd train images" has
trained in DIR, in half precision, with a classifier of latents and a judge of pictures, and,
if they are there, the guide and the adapter of the baselines.
card.md says how the parts came about, and what they reach on held-out portraits, which
is measured on the files as written; samples.png shows what the model draws.

` + exitCodeHelp,
		Example: "  pcd image assemble models/images -o models/portraits",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := runAssemble(cmd.Context(), args[0], base, dir, invocation, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			printAssembled(cmd.OutOrStdout(), s)
			return nil
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", filepath.Join("models", "portraits"), "folder of the model")
	c.Flags().StringVar(&base, "base", "", "folder of a model, whose parts stand in for those that were not trained")
	c.Flags().BoolVar(&asJSON, "json", false, "print the card as JSON")
	return c
}

func runAssemble(ctx context.Context, from, base, to string, invocation []string, stderr io.Writer) (assembleSummary, error) {
	if err := atomicfile.CheckApart(to, from, base); err != nil {
		return assembleSummary{}, err
	}
	record := newRecord("image assemble", invocation, 0, nil)
	out, err := openOutput(stderr, to, record, portraits.Files...)
	if err != nil {
		return assembleSummary{}, err
	}
	defer out.Close()
	stage := newProgress(stderr, "drawing samples")
	var card *portraits.Card
	err = out.Make(func(dir string) ([]string, error) {
		card, err = portraits.Assemble(ctx, from, base, dir, cardSteps, func(_ string, done, total int) { stage(done, total) })
		if err != nil {
			return nil, err
		}
		return card.Files(), nil
	})
	if err != nil {
		return assembleSummary{}, err
	}
	files, err := deliverOutput(stderr, out)
	return assembleSummary{card, files}, err
}

func printAssembled(w io.Writer, s assembleSummary) {
	printLine(w, "reconstruction: PSNR %.2f dB, %.2f dB at least, of %s", s.PSNR.Mean, s.PSNR.Min, plural.Of(s.PSNR.Images, "portrait"))
	for _, a := range s.Classifiers() {
		printLine(w, "%s: right about the age group of %.2f %%, about old or not of %.2f %%, about the gender of %.2f %% of %s",
			a.Name, 100*a.AgeGroup, 100*a.Old, 100*a.Gender, plural.Of(a.Images, "portrait"))
	}
	printWritten(w, s.Files...)
}
