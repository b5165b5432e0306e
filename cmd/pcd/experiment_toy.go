package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/experiment/toy"
)

func toyEntry() experimentEntry {
	return experimentEntry{
		name:  "toy",
		short: "Special cases of the two-blocks example: pairs of groups × seeds",
		long: `Compares projected coupled diffusion with separate implementations of its special
cases, and two groups of normals with each other, once for every seed.`,
		example: "  pcd eval toy --seeds 10 -o results/toy",
		table:   "The table of the special cases",
		tableLong: `For every pair of groups: the divergences between their distributions as mean ±
standard deviation over seeds with the 95 % interval of the mean, the published row,
and the difference.`,
		results: toy.New(),
		eval:    evalToy,
	}
}

func evalToy(f *pflag.FlagSet) evaluator {
	spec := toy.PublishedSpec()
	f.StringSliceVar(&spec.Pairs, "groups", spec.Pairs, "pairs of groups")
	number(f, &spec.Seeds, toy.SpecSeeds.With(float64(spec.Seeds), toy.SpecSeeds.Help))
	f.Uint64Var(&spec.First, "seed", spec.First, "first seed")
	number(f, &spec.Samples, toy.SpecSamples.With(float64(spec.Samples), toy.SpecSamples.Help))
	number(f, &spec.Gamma, toy.SpecGamma.With(spec.Gamma, toy.SpecGamma.Help))
	return func(ctx context.Context, o experiment.Options) (experiment.Summary, error) {
		o.Seed = spec.First
		return toy.New().Evaluate(ctx, spec, o)
	}
}
