package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/projectbench"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/internal/terminal"
)

// benchProjectionSummary is what "pcd bench projection" prints.
type benchProjectionSummary struct {
	Machine manifest.Machine             `json:"machine"`
	Speed   []projectbench.SpeedLimitRow `json:"speed_limit"`
	Length  []projectbench.LengthRow     `json:"length"`
	Hull    []projectbench.HullRow       `json:"hull"`
}

func newBenchProjectionCommand() *cobra.Command {
	var paths int
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "projection",
		Short: "Exact projections beside the published iterations",
		Long: `Three tables, each on one thread:

  speed limit  512 paths of 63 points at every noise level and limit, exact and
               certified, beside the published iteration with a dense LU
               factorisation (penalty 10, at most 1000 iterations, tolerance 3e-6)
  length       time per path for paths of 63 to 4096 points
  hull         25 points onto the hull of 2 to 6 exemplars in 16384 dimensions,
               beside mirror descent as published`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := benchProjection(cmd.Context(), seed, paths, newProgress(cmd.ErrOrStderr(), "measuring"))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printBenchProjection(cmd.OutOrStdout(), s)
		},
	}
	number(c.Flags(), &paths, settings.Number{Name: "paths", Default: 512, Low: 1, High: 1 << 16, Whole: true, Help: "paths per row"})
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of the paths")
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

const (
	benchPoints    = 63
	benchNoise     = 0.2 // of the length table
	benchLimit     = 0.05
	hullDimension  = 16384
	hullPoints     = 25
	mostExemplars  = 6
	leastExemplars = 2
)

func benchProjection(ctx context.Context, seed uint64, paths int, progress func(done, total int)) (benchProjectionSummary, error) {
	s := benchProjectionSummary{Machine: manifest.ThisMachine()}
	grid := projectbench.Grid
	total := len(grid.Noise)*len(grid.Limit) + len(projectbench.Lengths) + mostExemplars - leastExemplars + 1
	done := 0
	tick := func(err error) error {
		done++
		progress(done, total)
		return err
	}
	for _, noise := range grid.Noise {
		for _, limit := range grid.Limit {
			row, err := projectbench.SpeedLimit(ctx, seed, paths, benchPoints, noise, limit)
			if tick(err) != nil {
				return s, err
			}
			s.Speed = append(s.Speed, row)
		}
	}
	for _, n := range projectbench.Lengths {
		row, err := projectbench.Length(ctx, seed, n, benchNoise, benchLimit)
		if tick(err) != nil {
			return s, err
		}
		s.Length = append(s.Length, row)
	}
	for m := leastExemplars; m <= mostExemplars; m++ {
		row, err := projectbench.Hull(ctx, seed, m, hullDimension, hullPoints)
		if tick(err) != nil {
			return s, err
		}
		s.Hull = append(s.Hull, row)
	}
	return s, nil
}

func printBenchProjection(w io.Writer, s benchProjectionSummary) error {
	printLine(w, "%s", s.Machine)
	speed := numbersOf(2, "noise\tlimit\tat limit\tµs/path\tpublished µs\tratio\tsolves\tpublished iterations\tdeviation\tpublished deviation\tviolation\tpublished violation")
	for _, r := range s.Speed {
		speed.Add("%g\t%g\t%.0f %%\t%.2f\t%.0f\t%.0f\t%.1f\t%d\t%.1e\t%.1e\t%.1e\t%.1e", r.Noise, r.Limit, 100*r.Active,
			r.Micros, r.YardstickMicros, r.Ratio, r.Iterations, r.YardstickIterations, r.Deviation, r.YardstickDeviation, r.Violation, r.YardstickViolation)
	}
	length := numbersOf(1, "points\tµs/path\tns/point\tsolves\tdeviation\tviolation")
	for _, r := range s.Length {
		length.Add("%d\t%.1f\t%.0f\t%.1f\t%.1e\t%.1e", r.Points, r.MicrosPerPath, r.NanosPerPoint, r.Iterations, r.Deviation, r.Violation)
	}
	hull := numbersOf(1, "exemplars\tms/call\tmirror descent ms\tratio\tsolves\tmirror descent's weights off by\tviolation")
	for _, r := range s.Hull {
		hull.Add("%d\t%.2f\t%.1f\t%.0f\t%.1f\t%.1e\t%.1e", r.Exemplars, r.Millis, r.MirrorMillis, r.Ratio, r.Iterations, r.MirrorDeviation, r.Violation)
	}
	for _, t := range []*terminal.Table{speed, length, hull} {
		fmt.Fprintln(w)
		if err := printTable(w, t); err != nil {
			return err
		}
	}
	return nil
}
