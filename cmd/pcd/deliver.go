package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

// delivery are the flags that say where the outcome of a request goes.
type delivery struct {
	json bool
	gif  bool
	out  string
}

// addTo adds the flags; what is drawn is named for the help.
func (d *delivery) addTo(f *pflag.FlagSet, what string) {
	f.BoolVar(&d.json, "json", false, "print the summary as JSON")
	f.BoolVar(&d.gif, "gif", false, "also write an animated GIF")
	f.StringVarP(&d.out, "output", "o", "", "directory for "+what+", summary, figure and animation")
}

// given returns a pointer to the value of a flag, nil when it was not given.
func given[T any](f *pflag.FlagSet, name string, value T) *T {
	if !f.Changed(name) {
		return nil
	}
	return &value
}

// checkFiles refuses flags of files where none are written.
func (d *delivery) checkFiles(f *pflag.FlagSet) error {
	for _, name := range []string{"gif", "format", "rate"} {
		if d.out == "" && f.Changed(name) && (name != "gif" || d.gif) {
			return usageError{fmt.Errorf("--%s is about files that are written: say where with -o", name)}
		}
	}
	return nil
}

// open opens the directory, if one was asked for; nil if not.
func (d *delivery) open(stderr io.Writer, invocation, names []string) (*planner.Folder, error) {
	if d.out == "" {
		return nil, nil
	}
	if err := checkOutputDir(d.out); err != nil {
		return nil, err
	}
	f, err := planner.OpenFolder(d.out, invocation, names...)
	if err == nil && f.Report().Finished {
		tellFinished(stderr, d.out)
	}
	return f, err
}

// deliver checks and runs a task, writes its files when a directory was asked for and
// prints its summary. An unfinished run prints and writes nothing.
func deliver[S any](cmd *cobra.Command, d delivery, invocation []string, task planner.Task[S], print func(io.Writer, *S, bool) error) error {
	if err := d.checkFiles(cmd.Flags()); err != nil {
		return err
	}
	if err := task.Check(); err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	folder, err := d.open(stderr, invocation, task.Files())
	if err != nil {
		return err
	}
	outcome, err := task.Run(cmd.Context(), watchOn(stderr), folder)
	if folder != nil {
		tellReport(stderr, d.out, folder.Report())
	}
	if err != nil {
		return err
	}
	return errors.Join(print(cmd.OutOrStdout(), outcome.Summary, d.json), outcome.Verdict)
}

// watchOn returns a watch that shows bars on terminals, one for each stage.
func watchOn(stderr io.Writer) planner.Watch {
	bars := map[string]func(done, total int){}
	trying := newTryingProgress(stderr)
	return planner.Watch{
		Progress: func(stage string, done, total int) {
			trying("")
			if bars[stage] == nil {
				bars[stage] = newProgress(stderr, stage)
			}
			bars[stage](done, total)
		},
		Kept: func(what string, done, total int, path string) {
			fmt.Fprintf(stderr, "%d of %s kept in %s: this goes on from there\n", done, plural.Are(total, what), quote.Lines(path))
		},
		Search:   newSearchProgress(stderr),
		Trying:   trying,
		Estimate: func(run, published float64) { tellEstimate(stderr, run, published) },
	}
}
