package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
)

// benchToySummary is what "pcd bench toy" prints.
type benchToySummary struct {
	Machine manifest.Machine `json:"machine"`
	Rows    []benchToyRow    `json:"rows"`
}

// benchToyRow is the speed of one method.
type benchToyRow struct {
	Method             toy.Method `json:"method"`
	Pairs              int        `json:"pairs"`
	Steps              int        `json:"steps"`
	Seconds            float64    `json:"seconds"`
	PairStepsPerSecond float64    `json:"pair_steps_per_second"`
	Model              float64    `json:"model_share"` // of the busy time
	Coupling           float64    `json:"coupling_share"`
	Projection         float64    `json:"projection_share"`
	Other              float64    `json:"other_share"`
}

func newBenchToyCommand() *cobra.Command {
	var pairs, workers int
	var asJSON bool
	c := &cobra.Command{
		Use:   "toy",
		Short: "Throughput of the two-blocks example in pair-steps per second",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := (&planner.ToyTask{Request: planner.ToyRequest{Pairs: &pairs, Workers: workers}}).Check(); err != nil {
				return err
			}
			s, err := benchToy(cmd.Context(), pairs, workers)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printBenchToy(cmd.OutOrStdout(), s)
		},
	}
	number(c.Flags(), &pairs, planner.ToyPairs)
	number(c.Flags(), &workers, settings.Workers)
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

func benchToy(ctx context.Context, pairs, workers int) (benchToySummary, error) {
	s := benchToySummary{Machine: manifest.ThisMachine()}
	for _, m := range []toy.Method{toy.Coupled, toy.PCD} {
		p, err := toy.Run(ctx, m, toy.Options{Pairs: pairs, Workers: workers})
		if err != nil {
			return s, err
		}
		t := p.Seconds
		busy := t.Model + t.Coupling + t.Projection + t.Other
		s.Rows = append(s.Rows, benchToyRow{
			Method: m, Pairs: pairs, Steps: toy.Steps, Seconds: t.Total,
			PairStepsPerSecond: float64(pairs) * toy.Steps / t.Total,
			Model:              t.Model / busy, Coupling: t.Coupling / busy, Projection: t.Projection / busy, Other: t.Other / busy,
		})
	}
	return s, nil
}

func printBenchToy(w io.Writer, s benchToySummary) error {
	printLine(w, "%s", s.Machine)
	t := tableOf(1, "method\tpairs\tsteps\tseconds\tpair-steps/s\tmodel\tcoupling\tprojection\tother")
	for _, r := range s.Rows {
		t.Add("%s\t%d\t%d\t%.2f\t%.3g\t%.0f %%\t%.0f %%\t%.0f %%\t%.0f %%", r.Method, r.Pairs, r.Steps, r.Seconds,
			r.PairStepsPerSecond, 100*r.Model, 100*r.Coupling, 100*r.Projection, 100*r.Other)
	}
	return printTable(w, t)
}
