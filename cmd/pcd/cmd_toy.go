package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/experiment/toy"
	"github.com/go-pcd/pcd/render"
	"github.com/go-pcd/pcd/tensor"
)

// toyOptions are the flags of "pcd toy".
type toyOptions struct {
	method   string
	pairs    int
	seed     uint64
	gamma    float64
	hasGamma bool
	verify   bool
	json     bool
	out      string
	workers  int
}

// toySummary is what "pcd toy" prints, in both forms.
type toySummary struct {
	Runs   []toy.Summary    `json:"runs,omitempty"`
	Verify []toy.Comparison `json:"verify,omitempty"`
	Files  []string         `json:"files,omitempty"`
}

func newToyCommand(invocation []string) *cobra.Command {
	var o toyOptions
	c := &cobra.Command{
		Use:   "toy",
		Short: "The two-blocks example: its figure, and the special cases checked numerically",
		Long: `Two blocks on a line must fit between two walls without overlapping. Each has a
Gaussian prior for its centre. The methods are

  conditional  the big block first, then the small one given it
  coupled      both jointly, pushed apart, but free to leave the corridor
  pcd          both jointly, pushed apart, projected between the walls
  pd           projected between the walls, not pushed apart
  cg           the big block guided by a small one held in the middle

With -o the pairs, the figure (SVG and PNG) and a manifest are written. With
--verify the program checks that classifier guidance and projected diffusion are
special cases: a million samples per group, compared by three divergences.

` + exitCodeHelp,
		Example: "  pcd toy --method all -o out/toy\n  pcd toy --verify",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.hasGamma = cmd.Flags().Changed("gamma")
			summary, err := runToy(cmd.Context(), o, invocation, cmd.ErrOrStderr())
			if e := printToy(cmd.OutOrStdout(), summary, o.json); err == nil {
				err = e
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", "pcd", "conditional, coupled, pcd, pd, cg or all")
	f.IntVar(&o.pairs, "pairs", toy.DefaultPairs, "number of pairs")
	f.Uint64Var(&o.seed, "seed", toy.DefaultSeed, "seed of the random field")
	f.Float64Var(&o.gamma, "gamma", 0, "coupling strength (default: 12 for conditional, 32 otherwise)")
	f.BoolVar(&o.verify, "verify", false, "check the special cases numerically")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.out, "output", "o", "", "directory for pairs, figure and manifest")
	f.IntVar(&o.workers, "workers", 0, "goroutines (default: one per processor)")
	return c
}

// runToy draws, or verifies, and writes the files that were asked for. The
// summary holds what was finished, also after an error.
func runToy(ctx context.Context, o toyOptions, invocation []string, stderr io.Writer) (toySummary, error) {
	if o.pairs < 1 {
		return toySummary{}, usageError{fmt.Errorf("--pairs is %d, want at least 1", o.pairs)}
	}
	methods, err := toy.ParseMethods(o.method)
	if err != nil {
		return toySummary{}, usageError{err}
	}
	if o.verify {
		return verifyToy(ctx, o, stderr)
	}
	return drawToy(ctx, o, methods, invocation, stderr)
}

func verifyToy(ctx context.Context, o toyOptions, stderr io.Writer) (toySummary, error) {
	rows, err := toy.Verify(ctx, toy.VerifyOptions{
		Seed: &o.seed, Strength: o.strength(), Workers: o.workers, Progress: newProgress(stderr, "verifying"),
	})
	return toySummary{Verify: rows}, err
}

func (o toyOptions) strength() *float64 {
	if o.hasGamma {
		return &o.gamma
	}
	return nil
}

func drawToy(ctx context.Context, o toyOptions, methods []toy.Method, invocation []string, stderr io.Writer) (toySummary, error) {
	var s toySummary
	var drawn []*toy.Pairs
	for _, m := range methods {
		pairs, err := toy.Run(ctx, m, toy.Options{
			Pairs: o.pairs, Seed: &o.seed, Strength: o.strength(), Workers: o.workers, Progress: newProgress(stderr, string(m)),
		})
		if err != nil {
			return s, errors.Join(err, saveToy(o, invocation, drawn, &s))
		}
		drawn = append(drawn, pairs)
		s.Runs = append(s.Runs, toy.Summarise(pairs))
	}
	return s, saveToy(o, invocation, drawn, &s)
}

// toySettings are the settings that a manifest of "pcd toy" records.
type toySettings struct {
	Methods  []toy.Method           `json:"methods"`
	Pairs    int                    `json:"pairs"`
	Gamma    map[toy.Method]float64 `json:"gamma"`
	Dynamics string                 `json:"dynamics"`
}

func (o toyOptions) settings(drawn []*toy.Pairs) toySettings {
	s := toySettings{Pairs: o.pairs, Gamma: map[toy.Method]float64{}, Dynamics: toy.Dynamics.String()}
	for _, p := range drawn {
		s.Methods = append(s.Methods, p.Method)
		s.Gamma[p.Method] = p.Method.Strength()
		if o.hasGamma {
			s.Gamma[p.Method] = o.gamma
		}
	}
	return s
}

// saveToy writes what the finished methods drew, when an output directory was
// asked for.
func saveToy(o toyOptions, invocation []string, drawn []*toy.Pairs, s *toySummary) error {
	if o.out == "" || len(drawn) == 0 {
		return nil
	}
	out, err := openOutput(o.out, invocation, o.seed, o.settings(drawn))
	if err != nil {
		return err
	}
	err = writeToy(out, drawn, *s)
	s.Files = out.files
	return err
}

// writeToy writes the pairs, the figure and the summary.
func writeToy(out *outputDir, drawn []*toy.Pairs, s toySummary) error {
	if err := out.write("pairs.npz", func(path string) error { return savePairs(path, drawn) }); err != nil {
		return err
	}
	var panels []render.ToyPanel
	for i, p := range drawn {
		r := s.Runs[i]
		panels = append(panels, render.ToyPanel{
			Title: string(p.Method),
			Note:  fmt.Sprintf("through a wall %.1f %%, overlapping %.1f %%", 100*r.POut, 100*r.POverlap),
			Big:   p.Big.Data, Small: p.Small.Data,
		})
	}
	figure := render.Toy(panels, render.ToyWorld{
		Big: toy.FeasibleBig, Small: toy.FeasibleSmall, MinSpacing: toy.MinSpacing,
	})
	for _, name := range []string{"toy.svg", "toy.png"} {
		if err := out.write(name, figure.Save); err != nil {
			return err
		}
	}
	if err := out.write("summary.json", func(path string) error { return experiment.WriteJSON(path, s) }); err != nil {
		return err
	}
	return out.close()
}

// savePairs writes two arrays per method: the centres of the big and of the small
// block.
func savePairs(path string, drawn []*toy.Pairs) error {
	var arrays []dataset.Array
	for _, p := range drawn {
		for name, b := range map[string]tensor.Batch{"big": p.Big, "small": p.Small} {
			a, err := dataset.NewArray(string(p.Method)+"_"+name, []int{b.N}, b.Data)
			if err != nil {
				return err
			}
			arrays = append(arrays, a)
		}
	}
	slices.SortFunc(arrays, func(a, b dataset.Array) int { return strings.Compare(a.Name, b.Name) })
	return dataset.WriteNPZ(path, arrays...)
}

func printToy(w io.Writer, s toySummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(s.Runs) > 0 {
		fmt.Fprintln(t, "method\tpairs\tthrough a wall\toverlapping\tneither\tcertified\tworst violation\tseconds")
		for _, r := range s.Runs {
			fmt.Fprintf(t, "%s\t%d\t%.4f\t%.4f\t%.4f\t%s\t%.3g\t%.2f\n",
				r.Method, r.Pairs, r.POut, r.POverlap, r.PValid, yesNo(r.Certified), r.MaxViolation, r.Seconds)
		}
	}
	if len(s.Verify) > 0 {
		fmt.Fprintln(t, "pair\t\tJS (nats)\tTV\tL2")
		for _, r := range s.Verify {
			fmt.Fprintf(t, "%s\tours\t%.2e\t%.2e\t%.2e\n", r.Pair, r.JS, r.TV, r.L2)
			fmt.Fprintf(t, "\tpublished\t%.2e\t%.2e\t%.2e\n", r.Published.JS, r.Published.TV, r.Published.L2)
			fmt.Fprintf(t, "\tequal laws\t%.2e\t%.2e\t%.2e\n", r.Expected.JS, r.Expected.TV, r.Expected.L2)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range s.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
