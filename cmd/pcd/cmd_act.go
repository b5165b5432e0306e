package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/policy"
)

func newActCommand(invocation []string) *cobra.Command {
	var r planner.ActRequest
	var d delivery
	var steps int
	c := &cobra.Command{
		Use:   "act OBSERVATIONS",
		Short: "Run a LeRobot policy on recorded observations, within limits",
		Long: `Runs a diffusion policy of the library LeRobot: the folder that its training or the hub
gives, of any release from 2024 on. One action is given for every observation; the policy
plans again whenever its last plan is used up. Nothing of Python is needed.

OBSERVATIONS is a folder with a file observations.jsonl, an object on every line: lists
of numbers, and names of PNG or JPEG pictures in the folder.

  {"observation.state": [211, 96.5], "observation.image": "000000.png"}

--limits names a JSON file with what no command may exceed, in the units of actions and
per step. Commands are certified by a judge that reads nothing but them.

  {"min": [0, 0], "max": [512, 512], "groups": [[0, 1]],
   "speed": [20], "acceleration": [8]}

A speed or an acceleration is given for each group, whose numbers are a vector, and then
for each other number. With -o the directory receives act.json, actions.npz and a
manifest.

` + exitCodeHelp,
		Example: "  pcd act --policy diffusion_pusht recording\n  pcd act --policy diffusion_pusht --scheduler DDIM --sampling-steps 10 \\\n    --half --limits limits.json recording -o out/act",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Observations, r.Steps = args[0], given(cmd.Flags(), "sampling-steps", steps)
			return deliver(cmd, d, invocation, &planner.ActTask{Request: r}, printAct)
		},
	}
	f := c.Flags()
	f.StringVar(&r.Policy, "policy", "", "folder of the policy")
	f.StringVar(&r.Scheduler, "scheduler", "", strings.Join(policy.Schedulers(), ", ")+" (default: that of the policy)")
	number(f, &steps, planner.ActSteps)
	f.StringVar(&r.Limits, "limits", "", "JSON file of what no command may exceed")
	f.StringVar(&r.Start, "start", "", "where commands begin, with limits: numbers with commas (default: the state of the first observation)")
	f.BoolVar(&r.Half, "half", false, "keep float32 weights in half precision, in half the memory")
	f.Uint64Var(&r.Seed, "seed", 0, "seed of the noise")
	number(f, &r.Workers, settings.Workers)
	f.BoolVar(&d.json, "json", false, "print the summary as JSON")
	f.StringVarP(&d.out, "output", "o", "", "directory for actions, summary and manifest")
	return c
}
