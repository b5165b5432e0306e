package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
)

// benchPairOptions are the flags of "pcd bench pair".
type benchPairOptions struct {
	model                 string
	methods               []string
	exemplars             []int
	pairs, steps, repeats int
	json                  bool
}

// benchPairSummary is what "pcd bench pair" prints.
type benchPairSummary struct {
	Machine manifest.Machine `json:"machine"`
	Model   string           `json:"model"`
	Rows    []pair.Runtime   `json:"rows"`
}

func newBenchPairCommand() *cobra.Command {
	o := benchPairOptions{exemplars: []int{2, 6}}
	c := &cobra.Command{
		Use:   "pair",
		Short: "Pairs of images: where the time of a step goes",
		Long: `Times the steps of methods for pairs of images, in turns: the networks of both images,
the coupling and the projection, which is exact or the published mirror descent with
10000 iterations. Means and deviations are over the steps but the first of every run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := c.Flags()
	f.StringVar(&o.model, "model", "", "folder of the model (default: the one that ships)")
	f.StringSliceVar(&o.methods, "methods", []string{string(pair.SD), string(pair.SDC), string(pair.SDP), string(pair.PCD)}, "methods")
	numbers(f, &o.exemplars, planner.PairExemplars.With(0, "exemplars of each image"))
	number(f, &o.pairs, settings.Number{Name: "pairs", Default: 25, Low: 1, High: mostBenchPairs, Whole: true, Help: "pairs that are drawn together"})
	number(f, &o.steps, settings.Number{Name: "sampling-steps", Default: 6, Low: 2, High: mostRounds, Whole: true, Help: "steps of each run"})
	renamed(f, "steps", "sampling-steps")
	number(f, &o.repeats, repeats(2, "runs of each"))
	f.BoolVar(&o.json, "json", false, "print the rows as JSON")
	return c
}

func (o *benchPairOptions) run(cmd *cobra.Command) error {
	methods, err := parseAll(o.methods, pair.ParseMethod)
	if err != nil {
		return usageError{err}
	}
	task, err := planner.PairRequest{Model: o.model, Pairs: &o.pairs, Steps: &o.steps}.Check()
	if err != nil {
		return err
	}
	rows, err := pair.MeasureRuntime(cmd.Context(), task.Options, methods, o.exemplars, o.repeats, newProgress(cmd.ErrOrStderr(), "runs"))
	if err != nil {
		return err
	}
	s := benchPairSummary{manifest.ThisMachine(), task.Options.Model.Path, rows}
	if o.json {
		return printJSON(cmd.OutOrStdout(), s)
	}
	return s.print(cmd.OutOrStdout())
}

// print prints milliseconds, and what a part is of the whole.
func (s benchPairSummary) print(w io.Writer) error {
	printLine(w, "%s", s.Machine)
	t := numbersOf(3, "M\tmethod\tprojection by\tnetworks, ms\tcoupling\tprojection\tother\ta step, ms\tcoupling + projection")
	for _, r := range s.Rows {
		by := "-"
		if r.Method.Projected() {
			by = planner.ExactProjection
		}
		if r.MirrorDescent {
			by = planner.MirrorDescent
		}
		ms := func(mean, deviation float64) string { return fmt.Sprintf("%.2f ± %.2f", 1e3*mean, 1e3*deviation) }
		m, d := r.Mean, r.Deviation
		t.Add("%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", r.Exemplars, r.Method, by, ms(m.Network, d.Network), ms(m.Coupling, d.Coupling),
			ms(m.Projection, d.Projection), ms(m.Other, d.Other), ms(m.Total, d.Total), shareOf(m.Total)(m.Coupling+m.Projection))
	}
	if err := printTable(w, t); err != nil {
		return err
	}
	for _, r := range s.Rows {
		if exact, ok := s.exact(r); ok {
			fmt.Fprintf(w, "M = %d, %s: the exact projection takes 1/%.0f of the time of mirror descent\n", r.Exemplars, r.Method, r.Mean.Projection/exact.Mean.Projection)
		}
	}
	return nil
}

// exact returns the row with the exact projection beside one of mirror descent.
func (s benchPairSummary) exact(r pair.Runtime) (pair.Runtime, bool) {
	for _, o := range s.Rows {
		if r.MirrorDescent && !o.MirrorDescent && o.Method == r.Method && o.Exemplars == r.Exemplars {
			return o, true
		}
	}
	return pair.Runtime{}, false
}
