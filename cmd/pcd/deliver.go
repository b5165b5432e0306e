package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/planner"
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

// deliver runs a checked task, writes its files when a directory was asked for and
// prints its summary. An unfinished run prints and writes nothing.
func deliver[S any](cmd *cobra.Command, d delivery, invocation, names []string,
	run func(context.Context, planner.Watch) (*planner.Outcome[S], error), print func(io.Writer, *S, bool) error) error {
	if d.gif && d.out == "" {
		return usageError{errors.New("--gif writes a file: say where with -o")}
	}
	stderr := cmd.ErrOrStderr()
	folder, err := d.open(stderr, invocation, names)
	if err != nil {
		return err
	}
	outcome, err := run(cmd.Context(), planner.Watch{Steps: newProgress(stderr, "sampling"), Search: newSearchProgress(stderr)})
	if err != nil {
		return err
	}
	if folder != nil {
		err := outcome.Save(folder, d.gif)
		tellReport(stderr, d.out, folder.Report())
		if err != nil {
			return err
		}
	}
	return errors.Join(print(cmd.OutOrStdout(), outcome.Summary, d.json), outcome.Verdict)
}
