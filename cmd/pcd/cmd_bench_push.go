package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	pushtexp "github.com/go-pcd/pcd/internal/experiment/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/settings"
)

// benchPushSummary is what "pcd bench push" prints.
type benchPushSummary struct {
	Machine manifest.Machine     `json:"machine"`
	Spec    pushtexp.RuntimeSpec `json:"spec"`
	Rows    []pushtexp.Runtime   `json:"rows"`
}

func newBenchPushCommand() *cobra.Command {
	spec := pushtexp.DefaultRuntimeSpec()
	return newBenchRunsCommand(runsBench{
		use: "push", short: "PushT: plans of pairs per second, and where the time goes",
		long: `Times the methods in turns, each with several pairs that plan together. A plan of a
pair is all diffusion steps for both members and the execution of its actions. The
ratio compares a PS method with the one without.`,
		methods: namesOf(spec.Methods), methodsHelp: "methods", modelHelp: "model file (default: the one that ships)", jsonHelp: "print the rows as JSON",
		preset: spec.Preset, repeats: spec.Repeats,
		flags: func(f *pflag.FlagSet) measureRuns {
			number(f, &spec.Pairs, settings.Number{Name: "pairs", Default: float64(spec.Pairs), Low: 1, High: mostBenchPairs, Whole: true, Help: "pairs that plan together"})
			number(f, &spec.Plans, settings.Number{Name: "plans", Default: float64(spec.Plans), Low: 1, High: mostRounds, Whole: true, Help: "plans of each, one after the other"})
			number(f, &spec.Limit, settings.Limit.With(spec.Limit, "speed limit"))
			return func(ctx context.Context, o runsOptions, progress func(done, total int)) (any, func(io.Writer) error, error) {
				var err error
				if spec.Methods, err = parseAll(o.methods, push.ParseMethod); err != nil {
					return nil, nil, usageError{err}
				}
				spec.Repeats, spec.Preset = o.repeats, o.preset
				if err := checkBenchPush(spec); err != nil {
					return nil, nil, err
				}
				m, err := planner.PushModel(o.model)
				if err != nil {
					return nil, nil, err
				}
				rows, err := pushtexp.MeasureRuntime(ctx, spec, m, o.workers, progress)
				s := benchPushSummary{Machine: manifest.ThisMachine(), Spec: spec, Rows: rows}
				return s, func(w io.Writer) error { return printBenchPush(w, s) }, err
			}
		},
	})
}

// mostBenchPairs bounds the pairs that are measured together.
const mostBenchPairs = 4096

func checkBenchPush(spec pushtexp.RuntimeSpec) error {
	if _, err := push.SettingsByName(spec.Preset); err != nil {
		return usageError{err}
	}
	return nil
}

func printBenchPush(w io.Writer, s benchPushSummary) error {
	printLine(w, "%s", s.Machine)
	t := numbersOf(1, "method\tpair-plans/s\tseconds\tnetwork\tderivative\tcoupling\tprojection\tphysics\tother\tratio")
	for _, r := range s.Rows {
		x, ratio := r.Seconds, ""
		share := shareOf(x.Total)
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		t.Add("%s\t%.1f\t%.3f\t%s\t%s\t%s\t%s\t%s\t%s\t%s", r.Method, r.Rate, x.Total, share(x.Network), share(x.VJP),
			share(x.Coupling), share(x.Projection), share(x.Physics), share(x.Other), ratio)
	}
	return printTable(w, t)
}
