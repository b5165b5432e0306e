package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/settings"
)

// pushOptions are the flags of "pcd push".
type pushOptions struct {
	method   string
	limit    float64
	gamma    float64
	init     string
	pairs    int
	steps    int
	adjacent bool
	sampler  string
	seed     uint64
	preset   string
	model    string
	policy   string
	half     bool
	workers  int
	delivery
}

func newPushCommand(invocation []string) *cobra.Command {
	var o pushOptions
	c := &cobra.Command{
		Use:   "push",
		Short: "Push a block to its goal in pairs of distinct ways, within a speed limit",
		Long: `Runs pairs of PushT episodes from one initial condition. Both members of a pair use
one policy; a coupling drives their plans apart, and a projection keeps every plan
within the speed limit.

The methods are ` + joinPushMethods() + `;
ps judges the coupling on the estimate of the clean actions. The presets are
` + strings.Join(push.PresetNames(), ", ") + `: they name the convention of gamma, among
others, and the strength that a method gets unless --gamma says otherwise.

--init is the number of a published initial condition, from 0 to 49, or a state of
your own: agent x, agent y, block x, block y in pixels and the angle in radians.

--policy is the folder of a LeRobot policy that was trained for PushT, for both members
or, with --model, for the first: --model pusht pairs it with the policy that ships. It is
told what the published environment tells it, with the picture of its window, and does 8
actions of every plan. Whatever its folder says of sampling, it is sampled as the method
is, by ddpm in all steps of its training, unless --sampler and --sampling-steps say
otherwise. Speed limits are in the normalised units of each policy.

With -o the directory receives what happened (runs.npz), the summary (push.json), a
figure, an animated page and a manifest.

` + exitCodeHelp,
		Example: "  pcd push -o out/push\n  pcd push --method cd-dpp --init 7 --pairs 5\n  pcd push --init 100,400,256,200,0.5 --vmax 6.2",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return deliver(cmd, o.delivery, invocation, &planner.PushTask{Request: o.request(cmd.Flags()), GIF: o.gif}, printPush)
		},
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", string(push.PCDLBPS), "how to sample")
	number(f, &o.limit, planner.PushLimit)
	number(f, &o.gamma, planner.PushGamma)
	f.StringVar(&o.init, "init", "0", "initial condition")
	number(f, &o.pairs, planner.PushPairs)
	number(f, &o.steps, planner.PushSteps)
	f.StringVar(&o.sampler, "sampler", "", strings.Join(push.Samplers(), ", ")+" (default: ddpm, as published)")
	f.BoolVar(&o.adjacent, "adjacent", false, "respace with the slip of the library that the reference code uses")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.preset, "preset", "default", strings.Join(push.PresetNames(), ", "))
	f.StringVar(&o.policy, "policy", "", "folder of a LeRobot policy, in the place of a model")
	f.BoolVar(&o.half, "half", false, "keep float32 weights of the policy in half precision, in half the memory")
	f.StringVar(&o.model, "model", "", "model file, or folder of a training (default: the one that ships)")
	number(f, &o.workers, settings.Workers)
	o.delivery.addTo(f, "runs")
	return c
}

func joinPushMethods() string { return strings.Join(wordsOf(push.Methods()), ", ") }

// request returns the request that the flags make. Flags that were not given are left
// to the task.
func (o pushOptions) request(f *pflag.FlagSet) planner.PushRequest {
	return planner.PushRequest{
		Init: o.init, Method: o.method, Preset: o.preset, Adjacent: o.adjacent, Sampler: o.sampler, Seed: o.seed, Model: o.model, Policy: o.policy, Half: o.half, Workers: o.workers,
		Pairs: given(f, "pairs", o.pairs), Limit: given(f, "vmax", o.limit), Gamma: given(f, "gamma", o.gamma),
		Steps: given(f, "sampling-steps", o.steps),
	}
}
