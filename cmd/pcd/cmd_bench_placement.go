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
			if err := checkBounds(bound{"toy", o.Toy, 2, mostPlaced}, bound{"trials", o.Trials, 1, mostPlaced}, bound{"samples", o.Samples, 2, mostPlaced},
				bound{"pushes", o.Pushes, 2, mostPlaced}, bound{"pairs", o.Pairs, 2, mostPlaced}); err != nil {
				return err
			}
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
	f.IntVar(&o.Toy, "toy", o.Toy, "pairs of blocks")
	f.IntVar(&o.Trials, "trials", o.Trials, "trials of navigation")
	f.IntVar(&o.Samples, "samples", o.Samples, "joint samples of a trial")
	f.IntVar(&o.Pushes, "pushes", o.Pushes, "pairs of pushing")
	f.IntVar(&o.Pairs, "pairs", o.Pairs, "pairs of images")
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
