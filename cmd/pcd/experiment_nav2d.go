package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/plan"
)

func nav2dEntry() experimentEntry {
	return experimentEntry{
		name:    "nav2d",
		short:   "Multi-robot navigation: maps × robots × methods × limits × trials",
		long:    "At most the trial in progress is lost. Asking for more trials later goes on from\nthose that are done.",
		example: "  pcd eval nav2d -o results/nav2d\n  pcd eval nav2d --maps highways --robots 4 --methods pcd-shd \\\n    --gammas 0.1,0.2,0.4 --trial-seed 19 -o results/gamma\n  pcd eval nav2d --shard 0/4 -o results/nav2d",
		table:   "The eight navigation tables",
		tableLong: `For every method: ours as mean ± standard deviation over samples with the 95 %
interval of the mean, the published row, and the difference. SU is the share of
trials with a joint sample free of collisions, RS the share of joint samples in which
robots keep apart, CS the share of samples within the speed limit and DA the
adherence to the motion pattern, both by robot.`,
		plot:    "Methods side by side, coupling strengths, running times",
		plots:   func() []*cobra.Command { return []*cobra.Command{newPlotMethodsCommand(), newPlotRuntimeCommand()} },
		results: nav2dexp.New(nil),
		eval:    evalNav2D,
		train:   nav2dTraining(),
		data:    nav2dData(),
	}
}

func evalNav2D(f *pflag.FlagSet) evaluator {
	spec := nav2dexp.PublishedSpec()
	methods := namesOf(spec.Methods)
	var limits, gammas, places []string
	var model string
	f.StringSliceVar(&spec.Maps, "maps", spec.Maps, "maps")
	numbers(f, &spec.Robots, nav2dexp.SpecRobots)
	f.StringSliceVar(&methods, "methods", methods, "methods")
	f.StringSliceVar(&limits, "vmax", nil, "speed limits (default: the published ones of each map)")
	f.StringSliceVar(&gammas, "gammas", nil, "coupling strengths (default: those of each map)")
	number(f, &spec.Trials, nav2dexp.SpecTrials.With(float64(spec.Trials), nav2dexp.SpecTrials.Help))
	f.Uint32Var(&spec.TrialSeed, "trial-seed", spec.TrialSeed, "seed of the trials; 18 are the published ones")
	number(f, &spec.Samples, nav2dexp.SpecSamples.With(float64(spec.Samples), nav2dexp.SpecSamples.Help))
	f.Uint64Var(&spec.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&spec.Preset, "preset", spec.Preset, "default, paper or mmd")
	f.Var((*seconds)(&spec.SearchSeconds), "search-limit", "time after which methods that search give up a trial")
	renamed(f, "search-seconds", "search-limit")
	f.StringSliceVar(&spec.Samplers, "samplers", nil, strings.Join(plan.Samplers(), ", ")+" (default: that of the preset)")
	numbers(f, &spec.Steps, nav2dexp.SpecSteps)
	f.StringSliceVar(&places, "project-at", nil, "state, estimate: what projections act on (default: state)")
	f.StringVar(&model, "model", "", "model file or folder for all maps (default: the one of each map)")
	return func(ctx context.Context, o experiment.Options) (experiment.Summary, error) {
		var methodErr, limitErr, gammaErr error
		spec.Methods, methodErr = parseAll(methods, plan.ParseMethod)
		spec.Limits, limitErr = parseNumbers("--vmax", limits)
		spec.Gammas, gammaErr = parseNumbers("--gammas", gammas)
		var placeErr error
		spec.Estimates, placeErr = parsePlaces(places)
		if err := errors.Join(methodErr, limitErr, gammaErr, placeErr); err != nil {
			return experiment.Summary{}, usageError{err}
		}
		o.Seed = spec.Seed
		return nav2dexp.New(func(name string) (*plan.Model, error) { return planner.NavigationModel(model, name) }).Evaluate(ctx, spec, o)
	}
}

// parsePlaces reads what projections act on: whether it is the estimates of clean samples.
func parsePlaces(names []string) (estimates []bool, err error) {
	for _, name := range names {
		switch name {
		case "state", "estimate":
			estimates = append(estimates, name == "estimate")
		default:
			return nil, fmt.Errorf("--project-at is %s, want state or estimate", quote.Text(name))
		}
	}
	return estimates, nil
}
