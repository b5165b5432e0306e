package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/experiment/manipulation"
	"github.com/go-pcd/pcd/push"
)

// evalPushTOptions are the flags of "pcd eval pusht".
type evalPushTOptions struct {
	spec    manipulation.Spec
	methods []string
	gammas  []string
	limits  []string
	shard   string
	dir     string
	model   string
	workers int
	json    bool
}

func newEvalPushTCommand(invocation []string) *cobra.Command {
	o := evalPushTOptions{spec: manipulation.PublishedSpec()}
	c := &cobra.Command{
		Use:   "pusht",
		Short: "PushT: methods × limits × strengths × sampling steps",
		Long: `Computes the cells of the published tables, or others, one file per cell. A run that
is stopped continues where it stopped: at most the pairs in progress are lost. Asking
for more conditions, or more pairs of each, goes on from those that are done. Shards
of one evaluation can run on several machines into one directory.

The default is the published scale, 50 initial conditions with 100 pairs each.

` + exitCodeHelp,
		Example: "  pcd eval pusht --conditions 20 --pairs 20 -o results/pusht\n  pcd eval pusht --methods cd-dpp,pcd-dpp --gammas 0.02,0.1,0.5 --vmax 8.4 -o results/pusht-gamma\n  pcd eval pusht --sampling-steps 15,20,30 --methods pcd-lb-ps --vmax 8.4 -o results/pusht-steps",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := runEvalPushT(cmd.Context(), o, invocation, cmd.ErrOrStderr())
			if s.Cells == 0 {
				return err // before any work
			}
			if o.json {
				err = errors.Join(err, printJSON(cmd.OutOrStdout(), s))
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "%d of %d cells are finished in %s, %d of them by this run\n", s.Finished, s.Cells, s.Dir, s.Computed)
			}
			return err
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.methods, "methods", pushMethodNames(o.spec.Methods), "methods")
	f.StringSliceVar(&o.limits, "vmax", []string{"6.2", "8.4", "10.7"}, "speed limits")
	f.StringSliceVar(&o.gammas, "gammas", nil, "coupling strengths (default: those of the preset)")
	f.IntSliceVar(&o.spec.Steps, "sampling-steps", nil, "numbers of diffusion steps (default: those of the model)")
	f.BoolVar(&o.spec.Adjacent, "adjacent", false, "respace with the slip of the library that the reference code uses")
	f.IntVar(&o.spec.Conditions, "conditions", o.spec.Conditions, "initial conditions")
	f.Uint32Var(&o.spec.ConditionSeed, "condition-seed", o.spec.ConditionSeed, "seed of the conditions; 42 are the published ones")
	f.IntVar(&o.spec.Pairs, "pairs", o.spec.Pairs, "pairs per condition")
	f.Uint64Var(&o.spec.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.spec.Preset, "preset", o.spec.Preset, strings.Join(push.PresetNames(), ", "))
	f.StringVar(&o.shard, "shard", "0/1", "compute only every n-th cell, as i/n with i from 0")
	f.StringVar(&o.model, "model", "", "model file (default: the one that ships)")
	f.IntVar(&o.workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.dir, "output", "o", "results/pusht", "directory for the cells")
	return c
}

func runEvalPushT(ctx context.Context, o evalPushTOptions, invocation []string, stderr io.Writer) (evalSummary, error) {
	s := evalSummary{Dir: o.dir}
	shard, shards, err := parseShard(o.shard)
	if err != nil {
		return s, usageError{err}
	}
	if err := o.resolve(); err != nil {
		return s, usageError{err}
	}
	cells, err := o.spec.Cells()
	if err != nil {
		return s, usageError{err}
	}
	m, err := loadPolicy(o.model)
	if err != nil {
		return s, err
	}
	s.Cells = len(cells)
	e := manipulation.Evaluation{
		Dir: o.dir, Spec: o.spec, Shard: shard, Shards: shards, Workers: o.workers, Model: m, Progress: newProgress(stderr, "pairs"),
		Cell: func(c manipulation.Cell, number, of int, finished bool) {
			s.Finished++
			if !finished {
				s.Computed++
				fmt.Fprintf(stderr, "cell %d of %d: %s\n", number+1, of, c.Name())
			}
		},
	}
	manifest := experiment.NewManifest(invocation, o.spec.Seed, o.spec)
	if err := e.Run(ctx); err != nil {
		s.Finished, s.Computed = max(0, s.Finished-1), max(0, s.Computed-1) // the cell in progress
		return s, pushUsage(err)
	}
	return s, manifest.Write(o.dir)
}

// resolve turns the textual flags into the spec.
func (o *evalPushTOptions) resolve() (err error) {
	if o.spec.Methods, err = parsePushMethods(o.methods); err != nil {
		return err
	}
	if o.spec.Limits, err = parseNumbers("--vmax", o.limits); err != nil {
		return err
	}
	o.spec.Gammas, err = parseNumbers("--gammas", o.gammas)
	return err
}

func parsePushMethods(names []string) (out []push.Method, err error) {
	for _, name := range names {
		m, err := push.ParseMethod(name)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
