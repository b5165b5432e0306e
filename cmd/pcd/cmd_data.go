package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// dataEntry is what an experiment learns from, on the command line. Functions may be
// nil.
type dataEntry struct {
	subjects []string // what there are data of: maps, a task
	// gen returns the command that generates those of a subject, and imports the one
	// that takes published ones over.
	gen     func(subject string, invocation []string) *cobra.Command
	imports func() *cobra.Command
	// info describes a file of them. Assume says that it is of the subject, whatever it
	// says itself.
	info func(w io.Writer, subject, file string, assume, asJSON bool) error
}

func newDataCommand(invocation []string) *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "Generate, import and describe demonstrations",
		Args:  cobra.ArbitraryArgs,
	}
	gen := &cobra.Command{Use: "gen", Short: "Generate what models learn from", Args: cobra.ArbitraryArgs}
	c.AddCommand(gen, newDataInfoCommand(), newDataFetchCommand())
	for _, e := range experiments() {
		if e.data.imports != nil {
			c.AddCommand(e.data.imports())
		}
		if e.data.gen == nil {
			continue
		}
		for _, subject := range e.data.subjects {
			gen.AddCommand(e.data.gen(subject, invocation))
		}
	}
	return c
}

func newDataInfoCommand() *cobra.Command {
	var assume, asJSON bool
	kinds := described()
	c := &cobra.Command{
		Use:   "info " + strings.Join(kinds, "|") + " FILE",
		Short: "Describe demonstrations in a file",
		Long: `Describes demonstrations: how many there are, how long and how fast. Files that the program
made or imported say on which map: they are judged by it. Of another file nothing is known
unless --assume says that it is of the map.`,
		Args: func(_ *cobra.Command, args []string) error { return infoArguments(kinds, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, e := range experiments() {
				if e.data.info != nil && slices.Contains(e.data.subjects, args[0]) {
					return e.data.info(cmd.OutOrStdout(), args[0], args[1], assume, asJSON)
				}
			}
			return usageError{fmt.Errorf("there are no demonstrations of %q; there are those of %s", args[0], strings.Join(kinds, ", "))}
		},
	}
	c.Flags().BoolVar(&assume, "assume", false, "take a file that does not say on which map it was made for one of the named map")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return c
}

// described lists what files of demonstrations can be of.
func described() (kinds []string) {
	for _, e := range experiments() {
		if e.data.info != nil {
			kinds = append(kinds, e.data.subjects...)
		}
	}
	return kinds
}

// infoArguments says what is missing when one of the two arguments is.
func infoArguments(kinds, args []string) error {
	all := strings.Join(kinds, ", ")
	switch len(args) {
	case 0:
		return usageError{fmt.Errorf("name what the demonstrations are of (%s), and their file", all)}
	case 1:
		return usageError{fmt.Errorf("got only %q: name what the demonstrations are of (%s), then their file, as in \"pcd data info highways data/highways/trajectories.npz\"", args[0], all)}
	case 2:
		return nil
	}
	return usageError{fmt.Errorf("got %d arguments, want what the demonstrations are of, and one file", len(args))}
}
