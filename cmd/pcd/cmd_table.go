package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/plural"
)

func newTableCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "table",
		Short: "Print the results of an experiment beside the published tables",
		Args:  cobra.ArbitraryArgs,
	}
	for _, e := range evaluated() {
		c.AddCommand(newTableExperimentCommand(e))
	}
	return c
}

const tableHelp = `

DIR is a directory of results or an archive of one, DIR.jsonl.gz: with --pack the
cells are moved into that archive, which "pcd eval", "pcd table" and "pcd plot" read
under either name. Cells that an evaluation was asked for and that are not there, or
not finished, are named on standard error.`

func newTableExperimentCommand(e experimentEntry) *cobra.Command {
	var format string
	var pack bool
	c := &cobra.Command{
		Use:   e.name + " [DIR]",
		Short: e.table,
		Long:  e.tableLong + tableHelp,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := e.folder()
			if len(args) > 0 {
				dir = args[0]
			}
			if !slices.Contains(experiment.Formats(), format) {
				return usageError{fmt.Errorf("--format is %q, want one of %s", format, strings.Join(experiment.Formats(), ", "))}
			}
			if pack {
				return packResults(cmd.OutOrStdout(), e.results, dir)
			}
			return printTables(cmd.OutOrStdout(), cmd.ErrOrStderr(), e.results, dir, format)
		},
	}
	c.Flags().StringVar(&format, "format", "text", strings.Join(experiment.Formats(), ", "))
	c.Flags().BoolVar(&pack, "pack", false, "move the results into the archive DIR.jsonl.gz instead of printing them")
	return c
}

func packResults(w io.Writer, r results, dir string) error {
	archive, err := r.Pack(dir)
	if err != nil {
		return err
	}
	printWritten(w, archive)
	return nil
}

// printTables prints tables, and on stderr what they lack.
func printTables(stdout, stderr io.Writer, r results, dir, format string) error {
	report, err := r.Report(dir)
	if err != nil {
		return err
	}
	if err := report.Write(stdout, format); err != nil {
		return err
	}
	missing, err := r.Missing(dir)
	if err != nil {
		return err
	}
	printMissing(stderr, missing)
	return nil
}

// shownMissing bounds how many missing cells are named.
const shownMissing = 20

func printMissing(w io.Writer, missing []string) {
	if len(missing) == 0 {
		return
	}
	printLine(w, "%s missing or not finished; the same \"pcd eval\" goes on with them:", plural.Are(len(missing), "cell"))
	for _, name := range missing[:min(len(missing), shownMissing)] {
		fmt.Fprintln(w, " ", name)
	}
	if more := len(missing) - shownMissing; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}
