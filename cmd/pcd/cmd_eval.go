package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/experiment/navigation"
	"github.com/go-pcd/pcd/plan"
)

func newEvalCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Run the cells of an experiment, resumable and in shards",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newEvalNav2DCommand(invocation), newEvalPushTCommand(invocation))
	return c
}

// evalOptions are the flags of "pcd eval nav2d".
type evalOptions struct {
	spec    navigation.Spec
	methods []string
	gammas  []string
	limits  []string
	shard   string
	dir     string
	model   string
	workers int
	json    bool
}

// evalSummary is what "pcd eval" prints.
type evalSummary struct {
	Cells    int    `json:"cells"`    // of the evaluation
	Finished int    `json:"finished"` // of this shard, now
	Computed int    `json:"computed"` // of them, by this call
	Dir      string `json:"dir"`
}

func newEvalNav2DCommand(invocation []string) *cobra.Command {
	o := evalOptions{spec: navigation.PublishedSpec()}
	c := &cobra.Command{
		Use:   "nav2d",
		Short: "Multi-robot navigation: maps × robots × methods × limits × trials",
		Long: `Computes the cells of the published tables, or others, one file per finished cell.
A run that is stopped continues where it stopped: at most the trial in progress is
lost. Asking for more trials later goes on from those that are done. Shards of one
evaluation can run on several machines into one directory.

` + exitCodeHelp,
		Example: "  pcd eval nav2d -o results/nav2d\n  pcd eval nav2d --maps highways --robots 4 --methods pcd-shd --gammas 0.1,0.2,0.4 --trial-seed 19 -o results/gamma\n  pcd eval nav2d --shard 0/4 -o results/nav2d",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := runEval(cmd.Context(), o, invocation, cmd.ErrOrStderr())
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
	f.StringSliceVar(&o.spec.Maps, "maps", o.spec.Maps, "maps")
	f.IntSliceVar(&o.spec.Robots, "robots", o.spec.Robots, "numbers of robots")
	f.StringSliceVar(&o.methods, "methods", methodNames(o.spec.Methods), "methods")
	f.StringSliceVar(&o.limits, "vmax", nil, "speed limits (default: the published ones of each map)")
	f.StringSliceVar(&o.gammas, "gammas", nil, "coupling strengths (default: those of each map)")
	f.IntVar(&o.spec.Trials, "trials", o.spec.Trials, "trials per cell")
	f.Uint32Var(&o.spec.TrialSeed, "trial-seed", o.spec.TrialSeed, "seed of the trials; 18 are the published ones")
	f.IntVar(&o.spec.Samples, "samples", o.spec.Samples, "joint samples per trial")
	f.Uint64Var(&o.spec.Seed, "seed", 0, "seed of the noise")
	f.StringVar(&o.spec.Preset, "preset", o.spec.Preset, "default, paper or mmd")
	f.Float64Var(&o.spec.SearchSeconds, "search-seconds", o.spec.SearchSeconds, "seconds after which methods that search give up a trial")
	f.StringVar(&o.shard, "shard", "0/1", "compute only every n-th cell, as i/n with i from 0")
	f.StringVar(&o.model, "model", "", "model file or folder for all maps (default: the one of each map)")
	f.IntVar(&o.workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.dir, "output", "o", "results/nav2d", "directory for the cells")
	return c
}

func methodNames(methods []plan.Method) []string {
	var names []string
	for _, m := range methods {
		names = append(names, string(m))
	}
	return names
}

func runEval(ctx context.Context, o evalOptions, invocation []string, stderr io.Writer) (evalSummary, error) {
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
	s.Cells = len(cells)
	bar := newProgress(stderr, "trials")
	e := navigation.Evaluation{
		Dir: o.dir, Spec: o.spec, Shard: shard, Shards: shards, Workers: o.workers, Progress: bar,
		Model: func(name string) (*plan.Model, error) { return loadModel(o.model, name) },
		Cell: func(c navigation.Cell, number, of int, finished bool) {
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
		return s, err
	}
	return s, manifest.Write(o.dir)
}

// resolve turns the textual flags into the spec.
func (o *evalOptions) resolve() error {
	var err error
	if o.spec.Methods, err = parseMethods(o.methods); err != nil {
		return err
	}
	if o.spec.Limits, err = parseNumbers("--vmax", o.limits); err != nil {
		return err
	}
	if o.spec.Gammas, err = parseNumbers("--gammas", o.gammas); err != nil {
		return err
	}
	_, err = plan.SettingsByName(o.spec.Preset)
	return err
}

func parseMethods(names []string) (out []plan.Method, err error) {
	for _, name := range names {
		m, err := plan.ParseMethod(name)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// parseNumbers returns positive numbers, nil for none.
func parseNumbers(flag string, words []string) ([]float64, error) {
	var out []float64
	for _, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v > 0) {
			return nil, fmt.Errorf("%s: %q is not a positive number", flag, w)
		}
		out = append(out, v)
	}
	return out, nil
}

// parseShard reads "i/n".
func parseShard(s string) (shard, shards int, err error) {
	i, n, ok := strings.Cut(s, "/")
	shard, errI := strconv.Atoi(i)
	shards, errN := strconv.Atoi(n)
	if !ok || errI != nil || errN != nil || shards < 1 || shard < 0 || shard >= shards {
		return 0, 0, fmt.Errorf("--shard is %q, want i/n with i from 0 to n-1", s)
	}
	return shard, shards, nil
}
