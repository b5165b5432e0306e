package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment/navigation"
)

func newTableCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "table",
		Short: "Print the results of an experiment beside the published tables",
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(newTableNav2DCommand(), newTablePushTCommand())
	return c
}

func newTableNav2DCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "nav2d [DIR]",
		Short: "The eight navigation tables",
		Long: `For every method: ours as mean ± standard deviation over samples with the 95 %
interval of the mean, the published row, and the difference. SU is the share of
trials with a joint sample free of collisions, RS the share of joint samples in which
robots keep apart, CS the share of samples within the speed limit and DA the
adherence to the motion pattern, both by robot.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "results/nav2d"
			if len(args) > 0 {
				dir = args[0]
			}
			results, err := navigation.ReadResults(dir)
			if err != nil {
				return err
			}
			tables := navigation.Tables(results)
			switch format {
			case "text":
				return printTables(cmd.OutOrStdout(), tables, textTable)
			case "markdown":
				return printTables(cmd.OutOrStdout(), tables, markdownTable)
			case "json":
				return printJSON(cmd.OutOrStdout(), tables)
			}
			return usageError{fmt.Errorf("--format is %q, want text, markdown or json", format)}
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return c
}

func printTables(w io.Writer, tables []navigation.Table, print func(io.Writer, navigation.Table) error) error {
	for _, t := range tables {
		if err := print(w, t); err != nil {
			return err
		}
	}
	return nil
}

var tableHeader = []string{"method", "γ", "", "SU %", "RS", "CS %", "DA"}

// tableLines returns the lines of a table: two or three per method.
func tableLines(t navigation.Table) [][]string {
	var lines [][]string
	for _, r := range t.Rows {
		gamma := ""
		if r.Gamma != 0 {
			gamma = fmt.Sprintf("%g", r.Gamma)
		}
		if r.Ours == nil {
			lines = append(lines, []string{string(r.Method), gamma, "ours", "not computed", "", "", ""})
		} else {
			lines = append(lines, append([]string{string(r.Method), gamma, fmt.Sprintf("ours, %d trials", r.Trials)}, columns(*r.Ours, true, r.Certified)...))
		}
		if r.Published != nil {
			lines = append(lines, append([]string{"", "", "published"}, columns(*r.Published, false, nil)...))
		}
		if d := r.Difference; d != nil {
			lines = append(lines, []string{"", "", "difference", fmt.Sprintf("%+.0f", 100*d.SU), fmt.Sprintf("%+.3f", d.RS), fmt.Sprintf("%+.1f", 100*d.CS), fmt.Sprintf("%+.3f", d.DA)})
		}
	}
	return lines
}

func columns(m navigation.Measures, interval bool, certified *bool) []string {
	cell := func(s navigation.Stat, scale float64, format string) string {
		out := fmt.Sprintf(format+" ± "+format, scale*s.Mean, scale*s.Std)
		if interval {
			out += fmt.Sprintf(" ["+format+", "+format+"]", scale*s.Lo, scale*s.Hi)
		}
		return out
	}
	many := func(stats []navigation.Stat, scale float64, format string) string {
		parts := make([]string, len(stats))
		for i, s := range stats {
			parts[i] = fmt.Sprintf(format, scale*s.Mean)
		}
		return strings.Join(parts, " / ")
	}
	cs := many(m.CS, 100, "%.3g")
	if certified != nil && *certified {
		cs += " certified"
	}
	return []string{cell(m.SU, 100, "%.0f"), cell(m.RS, 1, "%.3f"), cs, many(m.DA, 1, "%.3f")}
}

func textTable(w io.Writer, t navigation.Table) error {
	fmt.Fprintf(w, "\n%s\n", t.Title())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(tableHeader, "\t"))
	for _, line := range tableLines(t) {
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	return tw.Flush()
}

func markdownTable(w io.Writer, t navigation.Table) error {
	fmt.Fprintf(w, "\n### %s\n\n| %s |\n|%s\n", t.Title(), strings.Join(tableHeader, " | "), strings.Repeat("---|", len(tableHeader)))
	for _, line := range tableLines(t) {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
			return err
		}
	}
	return nil
}
