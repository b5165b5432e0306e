package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/settings"
)

func newEvalCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Run the cells of an experiment, resumable and in shards",
		Args:  cobra.ArbitraryArgs,
	}
	for _, e := range evaluated() {
		c.AddCommand(newEvalExperimentCommand(e, invocation))
	}
	return c
}

// evalOptions are the flags that all evaluations have.
type evalOptions struct {
	shard   string
	dir     string
	workers int
	json    bool
}

const evalHelp = `Computes the cells of the published tables, or others, one file per cell. A run that
is stopped continues where it stopped. `

const shardHelp = `

Shards of one evaluation can run on several machines into one directory. "--shard
auto" asks the scheduler: SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT of a Slurm
array, or JOB_COMPLETION_INDEX of a Kubernetes Indexed Job with the number of shards
in ` + experiment.ShardCountVariable + `. Cells of another model, or of other settings, are refused. The
directory may be packed as an archive, see "pcd table": the run then goes on from
there.

`

func newEvalExperimentCommand(e experimentEntry, invocation []string) *cobra.Command {
	var o evalOptions
	c := &cobra.Command{
		Use:     e.name,
		Short:   e.short,
		Long:    evalHelp + e.long + shardHelp + exitCodeHelp,
		Example: e.example,
		Args:    cobra.NoArgs,
	}
	f := c.Flags()
	evaluate := e.eval(f)
	f.StringVar(&o.shard, "shard", "0/1", "compute only every n-th cell, as i/n with i from 0, or auto")
	if !e.allCores {
		number(f, &o.workers, settings.Workers)
	}
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.dir, "output", "o", e.folder(), "directory for the cells")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := runEval(cmd.Context(), o, evaluate, invocation, cmd.ErrOrStderr())
		if s.Cells == 0 {
			return err // before any work
		}
		if o.json {
			return errors.Join(err, printJSON(cmd.OutOrStdout(), s))
		}
		printEvaluated(cmd.OutOrStdout(), s)
		return err
	}
	return c
}

// printEvaluated says how far an evaluation is, and the shard of a run that has one.
func printEvaluated(w io.Writer, s experiment.Summary) {
	printLine(w, "%d of %s finished in %s, %d of them by this run", s.Finished, plural.Are(s.Cells, "cell"), quote.Lines(s.Dir), s.Computed)
	if s.Shard.Cells < s.Cells {
		printLine(w, "shard %s: %d of its %s", s.Shard.Name, s.Shard.Finished, plural.Of(s.Shard.Cells, "cell"))
	}
}

func runEval(ctx context.Context, o evalOptions, evaluate evaluator, invocation []string, stderr io.Writer) (experiment.Summary, error) {
	shard, err := experiment.ParseShard(o.shard)
	if err != nil {
		return experiment.Summary{}, err
	}
	return evaluate(ctx, experiment.Options{
		Dir: o.dir, Shard: shard, Workers: o.workers, Command: invocation, Progress: newProgress(stderr, "evaluating"),
		Cell: func(name string, number, of int, finished bool) {
			if !finished {
				fmt.Fprintf(stderr, "cell %d of %d: %s\n", number+1, of, name)
			}
		},
	})
}

// namesOf returns names as flags have them.
func namesOf[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// parseAll parses every word.
func parseAll[T any](words []string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for _, w := range words {
		v, err := parse(w)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// parseNumbers returns positive finite numbers, nil for none.
func parseNumbers(flag string, words []string) ([]float64, error) {
	return parseAll(words, func(w string) (float64, error) {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("%s: %q is not a positive number", flag, w)
		}
		return v, nil
	})
}

// texts returns numbers as flags have them.
func texts(values []float64) []string {
	var out []string
	for _, v := range values {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return out
}
