package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/settings"
)

// runsBench times whole runs of the methods of an experiment.
type runsBench struct {
	use, short, long                 string
	methods                          []string
	methodsHelp, modelHelp, jsonHelp string
	preset                           string
	repeats                          int
	// flags adds flags of its own, and returns what measures.
	flags func(f *pflag.FlagSet) measureRuns
}

// runsOptions are the flags that all benchmarks of runs have.
type runsOptions struct {
	methods []string
	model   string
	preset  string
	repeats int
	workers int
}

// measureRuns returns what is measured, as JSON shows it, and what prints it.
type measureRuns func(ctx context.Context, o runsOptions, progress func(done, total int)) (summary any, print func(io.Writer) error, err error)

func newBenchRunsCommand(b runsBench) *cobra.Command {
	o := runsOptions{methods: b.methods}
	var asJSON bool
	c := &cobra.Command{Use: b.use, Short: b.short, Long: b.long, Args: cobra.NoArgs}
	f := c.Flags()
	measure := b.flags(f)
	f.StringSliceVar(&o.methods, "methods", o.methods, b.methodsHelp)
	number(f, &o.repeats, repeats(float64(b.repeats), "runs of each, of which the fastest counts"))
	f.StringVar(&o.preset, "preset", b.preset, "preset of the methods")
	f.StringVar(&o.model, "model", "", b.modelHelp)
	number(f, &o.workers, settings.Workers)
	f.BoolVar(&asJSON, "json", false, b.jsonHelp)
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		summary, print, err := measure(cmd.Context(), o, newProgress(cmd.ErrOrStderr(), "runs"))
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), summary)
		}
		return print(cmd.OutOrStdout())
	}
	return c
}

// shareOf shows a part of a time as a percentage of the whole.
func shareOf(whole float64) func(part float64) string {
	return func(part float64) string { return fmt.Sprintf("%.1f %%", 100*part/whole) }
}
