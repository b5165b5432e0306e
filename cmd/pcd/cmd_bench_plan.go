package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/experiment/navigation"
)

// benchPlanSummary is what "pcd bench plan" prints.
type benchPlanSummary struct {
	Machine experiment.Machine     `json:"machine"`
	Spec    navigation.RuntimeSpec `json:"spec"`
	Rows    []navigation.Runtime   `json:"rows"`
	Growth  []navigation.Growth    `json:"growth"`
}

func newBenchPlanCommand() *cobra.Command {
	spec := navigation.PublishedRuntimeSpec()
	methods := methodNames(spec.Methods)
	var model string
	var workers int
	var asJSON bool
	c := &cobra.Command{
		Use:   "plan",
		Short: "Multi-robot planning: where the time goes as the team grows",
		Long: fmt.Sprintf(`Times the methods in turns with teams of growing size on an open floor, and fits the
exponent k of time ∝ robots^k. From %d robots on, robots shrink so that they are
equally dense. The ratio compares with the first method.`, navigation.RuntimeCrowd),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if spec.Methods, err = parseMethods(methods); err != nil {
				return usageError{err}
			}
			m, err := loadModel(model, "empty")
			if err != nil {
				return err
			}
			s := benchPlanSummary{Machine: experiment.ThisMachine(), Spec: spec}
			s.Rows, err = navigation.MeasureRuntime(cmd.Context(), spec, m, workers, newProgress(cmd.ErrOrStderr(), "runs"))
			if err != nil {
				return err
			}
			s.Growth = navigation.FitGrowth(s.Rows)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printBenchPlan(cmd.OutOrStdout(), s)
		},
	}
	f := c.Flags()
	f.IntSliceVar(&spec.Robots, "robots", spec.Robots, "numbers of robots")
	f.StringSliceVar(&methods, "methods", methods, "methods, the first being what the others are compared with")
	f.IntVar(&spec.Samples, "samples", spec.Samples, "joint samples")
	f.IntVar(&spec.Repeats, "repeats", spec.Repeats, "runs of each, of which the fastest counts")
	f.StringVar(&spec.Preset, "preset", spec.Preset, "default, paper or mmd")
	f.StringVar(&model, "model", "", "model file or folder (default: the one of the empty map)")
	f.IntVar(&workers, "workers", 0, "goroutines (default: one per processor)")
	f.BoolVar(&asJSON, "json", false, "print the rows as JSON, which \"pcd plot nav2d runtime\" reads")
	return c
}

func printBenchPlan(w io.Writer, s benchPlanSummary) error {
	fmt.Fprintln(w, s.Machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "robots\tmethod\tseconds\tmodel\tcoupling\tprojection\tother\tratio\t")
	for _, r := range s.Rows {
		x := r.Seconds
		share := func(part float64) string { return fmt.Sprintf("%.1f %%", 100*part/x.Total) }
		fmt.Fprintf(t, "%d\t%s\t%.3f\t%s\t%s\t%s\t%s\t%.2f\t\n", r.Robots, r.Method, x.Total,
			share(x.Model), share(x.Coupling), share(x.Projection), share(x.Other), r.Ratio)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range s.Growth {
		fmt.Fprintf(w, "%s: time grows as robots^%.2f, its coupling as robots^%.2f\n", g.Method, g.Total, g.Coupling)
	}
	return nil
}
