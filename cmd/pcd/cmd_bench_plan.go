package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/plan"
)

// benchPlanSummary is what "pcd bench plan" prints.
type benchPlanSummary struct {
	Machine manifest.Machine     `json:"machine"`
	Spec    nav2dexp.RuntimeSpec `json:"spec"`
	Rows    []nav2dexp.Runtime   `json:"rows"`
	Growth  []nav2dexp.Growth    `json:"growth"`
}

func newBenchPlanCommand() *cobra.Command {
	spec := nav2dexp.PublishedRuntimeSpec()
	safe := safeBench{spec: teams.Spec{Methods: []plan.Method{plan.PCDSHD}, Preset: "default"}}
	c := newBenchRunsCommand(runsBench{
		use: "plan", short: "Multi-robot planning: where the time goes as the team grows",
		long: fmt.Sprintf(`Times the methods in turns with teams of growing size on an open floor, and fits the
exponent k of time ∝ robots^k. From %d robots on, robots shrink so that they are
equally dense. The ratio compares with the first method.

With --latency it plans with the preset default until plans are certified in continuous
time, on random trials of maps and on swaps of a ring, and prints how many are, the
median and the 99th percentile of the time from task to plan, what was changed, and
the adherence to the motion pattern before and after.

With --motion it plans for the same trials, and for --scenes, along straight ways, along
curves and along curves in the shortest time, and prints how many plans are certified, the
processor time, and what a judge finds that samples every curve a thousand times a second.

With --replan it drives teams whose goals move, plans for them at every waypoint in
simulated time, and prints how many plans are new, how many of these began with the plan
before, how often the team had to stop, and the time from update to certified plan. With
--deadline every plan uses its time to draw more samples and keeps the best.

With --crowds DIR it plans for the first agents of scenarios of the MovingAI benchmarks,
10 to 400 robots, and prints whether the plan is certified, processor time and memory,
how many waypoints it has, and time and length of the ways over what both are at least
for robots alone that move from cell to cell. A crowd whose ways are found to need more
time than it was given is planned for again, in the same processor time.`, nav2dexp.RuntimeCrowd),
		methods: namesOf(spec.Methods), methodsHelp: "methods, the first being what the others are compared with",
		modelHelp: "model file or folder (default: the one of the empty map)",
		jsonHelp:  "print the rows as JSON, which \"pcd plot nav2d runtime\" reads",
		preset:    spec.Preset, repeats: spec.Repeats,
		flags: func(f *pflag.FlagSet) measureRuns {
			numbers(f, &spec.Robots, settings.Number{Name: "robots", Low: 1, High: 1 << 16, Whole: true, Help: "numbers of robots"}) // some tables take fewer
			number(f, &spec.Samples, settings.Number{Name: "samples", Default: float64(spec.Samples), Low: 1, High: mostBenchSamples, Whole: true, Help: "joint samples"})
			return func(ctx context.Context, o runsOptions, progress func(done, total int)) (any, func(io.Writer) error, error) {
				var err error
				if spec.Methods, err = parseAll(o.methods, plan.ParseMethod); err != nil {
					return nil, nil, usageError{err}
				}
				spec.Repeats, spec.Preset = o.repeats, o.preset
				if err := checkBenchPlan(spec); err != nil {
					return nil, nil, err
				}
				return benchPlan(ctx, spec, o, progress)
			}
		},
	})
	safe.replace(c)
	new(replanBench).replace(c)
	new(motionBench).replace(c)
	new(crowdBench).replace(c)
	return c
}

// Bounds of what is measured: larger teams and batches take hours.
const (
	mostBenchRobots  = 64
	mostBenchSamples = 4096
)

func checkBenchPlan(spec nav2dexp.RuntimeSpec) error {
	if _, err := plan.SettingsByName(spec.Preset); err != nil {
		return usageError{err}
	}
	for _, n := range spec.Robots { // of fewer than the other tables of the command take
		if n > mostBenchRobots {
			return usageError{fmt.Errorf("--robots is %d, want 1 to %d", n, mostBenchRobots)}
		}
	}
	return nil
}

// benchPlan times planning.
func benchPlan(ctx context.Context, spec nav2dexp.RuntimeSpec, o runsOptions, progress func(done, total int)) (any, func(io.Writer) error, error) {
	m, err := planner.NavigationModel(o.model, "empty")
	if err != nil {
		return nil, nil, err
	}
	rows, err := nav2dexp.MeasureRuntime(ctx, spec, m, o.workers, progress)
	s := benchPlanSummary{Machine: manifest.ThisMachine(), Spec: spec, Rows: rows, Growth: nav2dexp.FitGrowth(rows)}
	return s, func(w io.Writer) error { return printBenchPlan(w, s) }, err
}

func printBenchPlan(w io.Writer, s benchPlanSummary) error {
	printLine(w, "%s", s.Machine)
	t := numbersOf(2, "robots\tmethod\tseconds\tmodel\tcoupling\tprojection\tother\tratio")
	for _, r := range s.Rows {
		x := r.Seconds
		share := shareOf(x.Total)
		t.Add("%d\t%s\t%.3f\t%s\t%s\t%s\t%s\t%.2f", r.Robots, r.Method, x.Total,
			share(x.Model), share(x.Coupling), share(x.Projection), share(x.Other), r.Ratio)
	}
	if err := printTable(w, t); err != nil {
		return err
	}
	for _, g := range s.Growth {
		fmt.Fprintf(w, "%s: time grows as robots^%.2f, its coupling as robots^%.2f\n", g.Method, g.Total, g.Coupling)
	}
	return nil
}
