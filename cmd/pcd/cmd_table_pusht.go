package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment/manipulation"
)

// tablesOfPushT is what "pcd table pusht" prints.
type tablesOfPushT struct {
	Tables []manipulation.Table `json:"tables"`
	// Quantiles of the speeds of the unguided policy, from which the published limits
	// were taken; empty without a cell of it.
	Quantiles []speedQuantile `json:"quantiles,omitempty"`
}

type speedQuantile struct {
	Share     float64 `json:"share"`
	Ours      float64 `json:"ours"`
	Published float64 `json:"published"`
}

func newTablePushTCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "pusht [DIR]",
		Short: "The manipulation tables",
		Long: `For every method: ours as mean ± standard deviation over pairs with the 95 %
interval of the mean, the published row, and the difference. DTW and DFD say how far
apart the members of a pair plan, CS is the share of plans within the speed limit and
TC the largest reward of an episode, both by member. Intervals take the initial
conditions as the independent units.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "results/pusht"
			if len(args) > 0 {
				dir = args[0]
			}
			results, err := manipulation.ReadResults(dir)
			if err != nil {
				return err
			}
			t := tablesOfPushT{Tables: manipulation.Tables(results), Quantiles: quantilesOf(results)}
			switch format {
			case "text":
				return printPushTTables(cmd.OutOrStdout(), t, textPushT)
			case "markdown":
				return printPushTTables(cmd.OutOrStdout(), t, markdownPushT)
			case "json":
				return printJSON(cmd.OutOrStdout(), t)
			}
			return usageError{fmt.Errorf("--format is %q, want text, markdown or json", format)}
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return c
}

// quantilesOf returns the quantiles of the speeds of the unguided policy.
func quantilesOf(results map[string]*manipulation.CellResult) []speedQuantile {
	r, ok := results["pusht-dp"]
	if !ok {
		return nil
	}
	var out []speedQuantile
	for i, share := range []float64{0.80, 0.90, 0.95} {
		out = append(out, speedQuantile{share, r.Speeds.Quantile(share), []float64{6.2, 8.4, 10.7}[i]})
	}
	return out
}

func printPushTTables(w io.Writer, t tablesOfPushT, print func(io.Writer, manipulation.Table) error) error {
	for _, table := range t.Tables {
		if err := print(w, table); err != nil {
			return err
		}
	}
	for i, q := range t.Quantiles {
		if i == 0 {
			fmt.Fprint(w, "\nSpeeds of the unguided policy, ours (published): ")
		} else {
			fmt.Fprint(w, ", ")
		}
		fmt.Fprintf(w, "%.0f %% below %.1f (%.1f)", 100*q.Share, q.Ours, q.Published)
	}
	_, err := fmt.Fprintln(w)
	return err
}

var pushTHeader = []string{"method", "γ", "", "DTW", "DFD", "CS %", "TC"}

// pushTLines returns the lines of a table: up to three per row.
func pushTLines(t manipulation.Table) [][]string {
	var lines [][]string
	for _, r := range t.Rows {
		name := string(r.Method)
		if r.Steps > 0 {
			name += fmt.Sprintf(", %d steps", r.Steps)
		}
		gamma := ""
		if r.Gamma != 0 {
			gamma = strings.Replace(string(r.Scale), "gamma", fmt.Sprintf("%g", r.Gamma), 1)
		}
		if r.Ours == nil {
			lines = append(lines, []string{name, gamma, "ours", "not computed", "", "", ""})
		} else {
			lines = append(lines, append([]string{name, gamma, fmt.Sprintf("ours, %d × %d pairs", r.Conditions, r.Pairs)}, pushTColumns(*r.Ours, true, r.Certified)...))
		}
		if r.Published != nil {
			lines = append(lines, append([]string{"", "", "published"}, pushTColumns(*r.Published, false, false)...))
		}
		if d := r.Difference; d != nil {
			lines = append(lines, []string{"", "", "difference", fmt.Sprintf("%+.2f", d.DTW), fmt.Sprintf("%+.3f", d.DFD), fmt.Sprintf("%+.1f", 100*d.CS), fmt.Sprintf("%+.3f", d.TC)})
		}
	}
	return lines
}

func pushTColumns(m manipulation.Measures, interval, certified bool) []string {
	cell := func(s manipulation.Stat, format string) string {
		out := fmt.Sprintf(format+" ± "+format, s.Mean, s.Std)
		if interval {
			out += fmt.Sprintf(" ["+format+", "+format+"]", s.Lo, s.Hi)
		}
		return out
	}
	cs := fmt.Sprintf("%.3g / %.3g", 100*m.CS[0].Mean, 100*m.CS[1].Mean)
	if certified {
		cs += " certified"
	}
	tc := fmt.Sprintf("%.3f / %.3f", m.TC[0].Mean, m.TC[1].Mean)
	if interval {
		tc += fmt.Sprintf(" [%.3f, %.3f]", m.Completed.Lo, m.Completed.Hi)
	}
	return []string{cell(m.DTW, "%.2f"), cell(m.DFD, "%.3f"), cs, tc}
}

func textPushT(w io.Writer, t manipulation.Table) error {
	fmt.Fprintf(w, "\n%s\n", t.Title())
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(pushTHeader, "\t"))
	for _, line := range pushTLines(t) {
		fmt.Fprintln(tw, strings.Join(line, "\t"))
	}
	return tw.Flush()
}

func markdownPushT(w io.Writer, t manipulation.Table) error {
	fmt.Fprintf(w, "\n### %s\n\n| %s |\n|%s\n", t.Title(), strings.Join(pushTHeader, " | "), strings.Repeat("---|", len(pushTHeader)))
	for _, line := range pushTLines(t) {
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
			return err
		}
	}
	return nil
}
