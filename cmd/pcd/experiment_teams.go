package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
)

func teamsEntry() experimentEntry {
	return experimentEntry{
		name:  "teams",
		short: "Safe teams: maps and ring swaps × robots × methods × trials, certified or not",
		long: `Plans for random
trials of the maps, and for swaps of a ring, and judges every plan in continuous time
twice: by its certificate and by a second judge. Methods that search are
run as published; their time is bounded in processor seconds. At most the trial in
progress is lost.`,
		example: "  pcd eval teams -o results/teams\n  pcd eval teams --maps ring --robots 10,64,256 -o results/teams\n  pcd eval teams --robots 4,16 --methods pcd-shd,pp,mmd-cbs \\\n    --trials 5 --search-samples 32 -o results/methods",
		table:   "Teams whose plans are certified free of contact, by method",
		tableLong: `A table for every map, with a row for every method and number of robots. certified are
plans that keep all constraints at every moment: robots, obstacles, border and speed;
touch nothing are those that keep off robots and obstacles. Intervals are at 95 %. DA is
the adherence to the motion pattern, of the samples and of the plans made from them;
moved the largest displacement of a waypoint; clearance the smallest gap; acceleration
the mean change of velocity. Lengths are in map units. Published figures of other works
follow, with what is not comparable.`,
		results: teams.New(nil),
		eval:    evalTeams,
	}
}

func evalTeams(f *pflag.FlagSet) evaluator {
	spec := teams.DefaultSpec()
	methods := namesOf(spec.Methods)
	f.StringSliceVar(&spec.Maps, "maps", spec.Maps, "maps, and ring for ring swaps")
	numbers(f, &spec.Robots, teams.SpecRobots)
	f.StringSliceVar(&methods, "methods", methods, "methods")
	number(f, &spec.Trials, teams.SpecTrials.With(float64(spec.Trials), teams.SpecTrials.Help))
	f.Uint32Var(&spec.TrialSeed, "trial-seed", spec.TrialSeed, "seed of the trials")
	f.Uint64Var(&spec.Seed, "seed", 0, "seed of the noise")
	number(f, &spec.Samples, teams.SpecSamples.With(0, "joint samples per trial (default: as many as the preset says)"))
	f.StringVar(&spec.Preset, "preset", spec.Preset, "default, paper or mmd, of methods that sample robots together")
	number(f, &spec.SearchSamples, teams.SpecSearchSamples.With(float64(spec.SearchSamples), teams.SpecSearchSamples.Help))
	f.StringVar(&spec.SearchPreset, "search-preset", spec.SearchPreset, "preset of methods that search")
	f.Var((*seconds)(&spec.SearchSeconds), "search-limit", "processor time after which methods that search give up a trial")
	renamed(f, "search-seconds", "search-limit")
	return func(ctx context.Context, o experiment.Options) (experiment.Summary, error) {
		var err error
		if spec.Methods, err = parseAll(methods, plan.ParseMethod); err != nil {
			return experiment.Summary{}, usageError{err}
		}
		o.Seed = spec.Seed
		return teams.New(func(name string) (*plan.Model, error) { return planner.NavigationModel("", name) }).Evaluate(ctx, spec, o)
	}
}
