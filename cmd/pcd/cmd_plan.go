package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/plan"
)

// planOptions are the flags of "pcd plan".
type planOptions struct {
	robots      int
	samples     int
	method      string
	limit       float64
	gamma       float64
	hasGamma    bool
	trial       int
	seed        uint64
	hasSeed     bool
	preset      string
	model       string
	workers     int
	searchLimit time.Duration
	json        bool
	gif         bool
	out         string
}

func newPlanCommand(invocation []string) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan [MAP|SCENE.yaml]",
		Short: "Plan coordinated trajectories for several robots",
		Long: `Samples trajectories for several robots jointly from models of a single robot, so
that they keep apart, avoid obstacles and keep hard speed limits, and picks the best
joint sample. The task is a published map (` + strings.Join(mapNames(), ", ") + `),
with a published trial or one drawn from --seed, or a scene of your own: a YAML file
with bounds, obstacles and robots.

The methods are ` + joinMethods() + `.
The presets are default (goals are held, results are certified), paper (the published
method with exact projections) and mmd (the reference implementation step by step).

With -o the directory receives all samples (samples.npz), the summary with the best
joint trajectory (plan.json), a figure, an animated page and a manifest.

` + exitCodeHelp,
		Example: "  pcd plan highways -o out/plan\n  pcd plan conveyor --robots 2 --method diffuser --trial 7\n  pcd plan examples/warehouse.yaml -o out/warehouse",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.hasGamma, o.hasSeed = cmd.Flags().Changed("gamma"), cmd.Flags().Changed("seed")
			task := "highways"
			if len(args) > 0 {
				task = args[0]
			}
			s, err := runPlan(cmd.Context(), task, o, invocation, cmd.ErrOrStderr())
			if s != nil {
				if e := printPlan(cmd.OutOrStdout(), s, o.json); err == nil {
					err = e
				}
			}
			return err
		},
	}
	f := c.Flags()
	o.addTo(f, "default")
	f.StringVar(&o.method, "method", string(plan.PCDSHD), "how to plan")
	f.Float64Var(&o.gamma, "gamma", 0, "coupling strength (default: that of the map)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.BoolVar(&o.gif, "gif", false, "also write an animated GIF")
	f.StringVarP(&o.out, "output", "o", "", "directory for samples, summary, figure and animation")
	return c
}

// addTo adds the flags that say what to plan.
func (o *planOptions) addTo(f *pflag.FlagSet, preset string) {
	f.IntVar(&o.robots, "robots", 4, "number of robots of a published map")
	f.IntVar(&o.samples, "samples", plan.DefaultSamples, "joint samples")
	f.Float64Var(&o.limit, "vmax", 0, "speed limit in normalised units per second (default: the loosest published one of the map)")
	f.IntVar(&o.trial, "trial", 0, "number of the published trial, from 0")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the random field; for a published map it also draws a new trial")
	f.StringVar(&o.preset, "preset", preset, "default, paper or mmd")
	f.StringVar(&o.model, "model", "", "model file, or folder of a published model (default: the one of the map)")
	f.IntVar(&o.workers, "workers", 0, "goroutines (default: one per processor)")
	f.DurationVar(&o.searchLimit, "search-limit", plan.DefaultTimeLimit, "time after which methods that search give up")
}

func joinMethods() string {
	var names []string
	for _, m := range plan.Methods() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func runPlan(ctx context.Context, task string, o planOptions, invocation []string, stderr io.Writer) (*planSummary, error) {
	run, err := o.run(stderr)
	if err != nil {
		return nil, usageError{err}
	}
	team, err := loadTask(task, o, run.Method)
	if err != nil {
		return nil, err
	}
	if !o.hasGamma {
		run.Gamma = plan.DefaultGamma(team.Map, run.Method.Coupling())
	}
	result, err := plan.Run(ctx, team, run)
	if result == nil {
		return nil, err
	}
	if len(result.Trajectories) == 0 { // a search without paths
		return nil, errors.Join(err, result.Search.Err())
	}
	s := summarisePlan(task, team, run, result)
	if !o.hasSeed && isPublished(task) {
		s.Trial = &o.trial
	}
	err = errors.Join(err, savePlan(o, s, team, run, result, invocation))
	if c := result.Certificate; err == nil && run.Method.Projected() && run.Settings.ExactProjection && !c.Certified && c.Robot != "" {
		err = &pcd.UncertifiedError{Set: c.Robot, Sample: c.Sample, Violation: c.MaxViolation}
	}
	return s, err
}

// run returns the options of the run that the flags ask for.
func (o planOptions) run(stderr io.Writer) (plan.Options, error) {
	method, err := plan.ParseMethod(o.method)
	if err != nil {
		return plan.Options{}, err
	}
	settings, err := plan.SettingsByName(o.preset)
	if err != nil {
		return plan.Options{}, err
	}
	switch {
	case o.samples < 1:
		return plan.Options{}, fmt.Errorf("--samples is %d, want at least 1", o.samples)
	case o.limit < 0 || math.IsNaN(o.limit):
		return plan.Options{}, fmt.Errorf("--vmax is %v, want a positive number", o.limit)
	case o.searchLimit <= 0:
		return plan.Options{}, fmt.Errorf("--search-limit is %v, want a positive duration", o.searchLimit)
	case o.hasGamma && method.Coupling() == plan.Uncoupled:
		return plan.Options{}, fmt.Errorf("--gamma %v has no effect on %s, which does not couple robots", o.gamma, method)
	}
	run := plan.Options{
		Method: method, Samples: o.samples, Gamma: o.gamma, Settings: settings, Seed: o.seed, Workers: o.workers,
		Progress: newProgress(stderr, "denoising"),
	}
	run.Search.TimeLimit = o.searchLimit
	run.Search.Progress = newSearchProgress(stderr)
	return run, nil
}
