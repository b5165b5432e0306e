package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/placement"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/settings"
)

// benchPlacementSummary is what "pcd bench placement" prints.
type benchPlacementSummary struct {
	Machine manifest.Machine `json:"machine"`
	Rows    []placement.Row  `json:"rows"`
}

// mostPlaced bounds every number of samples.
const mostPlaced = 100_000

func newBenchPlacementCommand() *cobra.Command {
	o := placement.Default()
	var asJSON bool
	c := &cobra.Command{
		Use:   "placement",
		Short: "Projections of noisy states beside those of clean estimates",
		Long: `Samples the four experiments with projections at two places, under several samplers: the
noisy states after steps, as published, and the estimates of the clean samples before them, with
which the steps are then taken. A third row has no projections.

  states outside   how far states after steps, but the last, are outside of their sets
  outside          the same of the samples
  distance         energy distance to samples without projections, by root of the
                   dimension

and what the experiment is about, with standard errors.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range o.Experiments {
				if !slices.Contains(placement.Experiments(), name) {
					return usageError{fmt.Errorf("--experiments has %s, want some of %s", quote.Text(name), strings.Join(placement.Experiments(), ", "))}
				}
			}
			o.Progress = newProgress(cmd.ErrOrStderr(), "measuring")
			rows, err := placement.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			s := benchPlacementSummary{manifest.ThisMachine(), rows}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printPlacement(cmd.OutOrStdout(), s)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.Experiments, "experiments", nil, "some of "+strings.Join(placement.Experiments(), ", ")+" (default: all)")
	for _, n := range []struct {
		to   *int
		name string
		low  float64
		help string
	}{
		{&o.Toy, "toy", 2, "pairs of blocks"}, {&o.Trials, "trials", 1, "trials of navigation"}, {&o.Samples, "samples", 2, "joint samples of a trial"},
		{&o.Pushes, "pushes", 2, "pairs of pushing"}, {&o.Pairs, "pairs", 2, "pairs of images"},
	} {
		number(f, n.to, settings.Number{Name: n.name, Default: float64(*n.to), Low: n.low, High: mostPlaced, Whole: true, Help: n.help})
	}
	f.Uint64Var(&o.Seed, "seed", 0, "seed of the noise")
	f.BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

func printPlacement(w io.Writer, s benchPlacementSummary) error {
	printLine(w, "%s", s.Machine)
	t := numbersOf(3, "experiment\tsampler\tplace\tsteps\tsamples\tstates outside\toutside\tdistance\tmeasures")
	for _, r := range s.Rows {
		var all []string
		for _, m := range r.Measures {
			all = append(all, fmt.Sprintf("%s %.3g ± %.2g", m.Name, m.Mean, m.SE))
		}
		t.Add("%s\t%s\t%s\t%d\t%d\t%.3g\t%.3g\t%.3g\t%s", r.Experiment, r.Dynamics, r.Place, r.Steps, r.Samples, r.StatesOutside, r.SamplesOutside, r.Distance, strings.Join(all, "; "))
	}
	fmt.Fprintln(w)
	return printTable(w, t)
}
