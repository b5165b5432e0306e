package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment"
	pushtexp "github.com/go-pcd/pcd/internal/experiment/pusht"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/settings"
)

func pushTEntry() experimentEntry {
	return experimentEntry{
		name:  "pusht",
		short: "PushT: methods × limits × strengths × sampling steps",
		long: `At most the pairs in progress are lost. Asking for more conditions, or more pairs of
each, goes on from those that are done. The default is the published scale, 50
initial conditions with 100 pairs each.`,
		example: "  pcd eval pusht --conditions 20 --pairs 20 -o results/pusht\n  pcd eval pusht --methods cd-dpp,pcd-dpp --gammas 0.02,0.1,0.5 \\\n    --vmax 8.4 -o results/pusht-gamma\n  pcd eval pusht --sampling-steps 15,20,30 --methods pcd-lb-ps \\\n    --vmax 8.4 -o results/pusht-steps",
		table:   "The PushT tables",
		tableLong: `For every method: ours as mean ± standard deviation over pairs with the 95 %
interval of the mean, the published row, and the difference. DTW and DFD say how far
apart the members of a pair plan, CS is the share of plans within the speed limit and
TC the largest reward of an episode, both by member. Intervals take the initial
conditions as the independent units.`,
		plot:    "Coupling strengths, sampling steps, reward over time",
		results: pushtexp.New(nil),
		eval:    evalPushT,
		train:   pushTTraining(),
		data:    pushTData(),
	}
}

func evalPushT(f *pflag.FlagSet) evaluator {
	spec := pushtexp.PublishedSpec()
	methods := namesOf(spec.Methods)
	limits := texts(spec.Limits)
	var gammas []string
	var model string
	f.StringSliceVar(&methods, "methods", methods, "methods")
	f.StringSliceVar(&limits, "vmax", limits, "speed limits")
	f.StringSliceVar(&gammas, "gammas", nil, "coupling strengths (default: those of the preset)")
	f.StringSliceVar(&spec.Samplers, "samplers", nil, strings.Join(push.Samplers(), ", ")+" (default: ddpm, as published)")
	numbers(f, &spec.Steps, settings.Steps.With(0, "numbers of diffusion steps (default: those of the model)"))
	f.BoolVar(&spec.Adjacent, "adjacent", false, "respace with the slip of the library that the reference code uses")
	number(f, &spec.Conditions, pushtexp.SpecConditions.With(float64(spec.Conditions), pushtexp.SpecConditions.Help))
	f.Uint32Var(&spec.ConditionSeed, "condition-seed", spec.ConditionSeed, "seed of the conditions; 42 are the published ones")
	number(f, &spec.Pairs, pushtexp.SpecPairs.With(float64(spec.Pairs), pushtexp.SpecPairs.Help))
	f.Uint64Var(&spec.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&spec.Preset, "preset", spec.Preset, strings.Join(push.PresetNames(), ", "))
	f.StringVar(&model, "model", "", "model file, or folder of a training (default: the one that ships)")
	return func(ctx context.Context, o experiment.Options) (experiment.Summary, error) {
		var methodErr, limitErr, gammaErr error
		spec.Methods, methodErr = parseAll(methods, push.ParseMethod)
		spec.Limits, limitErr = parseNumbers("--vmax", limits)
		spec.Gammas, gammaErr = parseNumbers("--gammas", gammas)
		if err := errors.Join(methodErr, limitErr, gammaErr); err != nil {
			return experiment.Summary{}, usageError{err}
		}
		o.Seed = spec.Seed
		s, err := pushtexp.New(func() (*push.Model, error) { return planner.PushModel(model) }).Evaluate(ctx, spec, o)
		return s, err
	}
}
