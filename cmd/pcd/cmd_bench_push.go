package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/experiment/manipulation"
)

// benchPushSummary is what "pcd bench push" prints.
type benchPushSummary struct {
	Machine experiment.Machine       `json:"machine"`
	Spec    manipulation.RuntimeSpec `json:"spec"`
	Rows    []manipulation.Runtime   `json:"rows"`
}

func newBenchPushCommand() *cobra.Command {
	spec := manipulation.DefaultRuntimeSpec()
	methods := pushMethodNames(spec.Methods)
	var model string
	var workers int
	var asJSON bool
	c := &cobra.Command{
		Use:   "push",
		Short: "Manipulation: plans of pairs per second, and where the time goes",
		Long: `Times the methods in turns, each with several pairs that plan together. A plan of a
pair is all diffusion steps for both members and the execution of its actions. The
ratio compares a PS method with the one without.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if spec.Methods, err = parsePushMethods(methods); err != nil {
				return usageError{err}
			}
			m, err := loadPolicy(model)
			if err != nil {
				return err
			}
			s := benchPushSummary{Machine: experiment.ThisMachine(), Spec: spec}
			s.Rows, err = manipulation.MeasureRuntime(cmd.Context(), spec, m, workers, newProgress(cmd.ErrOrStderr(), "runs"))
			if err != nil {
				return pushUsage(err)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printBenchPush(cmd.OutOrStdout(), s)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&methods, "methods", methods, "methods")
	f.IntVar(&spec.Pairs, "pairs", spec.Pairs, "pairs that plan together")
	f.IntVar(&spec.Plans, "plans", spec.Plans, "plans of each, one after the other")
	f.IntVar(&spec.Repeats, "repeats", spec.Repeats, "runs of each, of which the fastest counts")
	f.Float64Var(&spec.Limit, "vmax", spec.Limit, "speed limit")
	f.StringVar(&spec.Preset, "preset", spec.Preset, "preset of the methods")
	f.StringVar(&model, "model", "", "model file (default: the one that ships)")
	f.IntVar(&workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

func printBenchPush(w io.Writer, s benchPushSummary) error {
	fmt.Fprintln(w, s.Machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "method\tpair-plans/s\tseconds\tnetwork\tderivative\tcoupling\tprojection\tphysics\tother\tratio\t")
	for _, r := range s.Rows {
		x, ratio := r.Seconds, ""
		share := func(part float64) string { return fmt.Sprintf("%.1f %%", 100*part/x.Total) }
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", r.Ratio)
		}
		fmt.Fprintf(t, "%s\t%.1f\t%.3f\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.Method, r.Rate, x.Total, share(x.Network), share(x.VJP),
			share(x.Coupling), share(x.Projection), share(x.Physics), share(x.Other), ratio)
	}
	return t.Flush()
}
