package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/render"
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
	Status manifest.Status  `json:"status"`
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
			if err := idleWithVerify(cmd, o.verify); err != nil {
				return err
			}
			summary, err := runToy(cmd.Context(), o, invocation, cmd.ErrOrStderr())
			summary.Status = manifest.StatusOf(err)
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

// idleWithVerify refuses flags that the check of the special cases does not look at.
func idleWithVerify(cmd *cobra.Command, verify bool) error {
	for _, name := range []string{"method", "pairs", "output"} {
		if verify && cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s has no effect with --verify", name)}
		}
	}
	return nil
}

// runToy draws, or verifies, and writes the files that were asked for. After an error
// it writes none; the summary holds what was finished.
func runToy(ctx context.Context, o toyOptions, invocation []string, stderr io.Writer) (toySummary, error) {
	if err := o.check(); err != nil {
		return toySummary{}, err
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

// check refuses what can be known to be wrong before anything is drawn.
func (o toyOptions) check() error {
	if o.pairs < 1 || o.pairs > toy.MostPairs {
		return usageError{fmt.Errorf("--pairs is %d, want 1 to %d", o.pairs, toy.MostPairs)}
	}
	if err := errors.Join(toy.CheckPairs(o.pairs), checkWorkers(o.workers)); err != nil {
		return err
	}
	if math.Abs(o.gamma) > mostToyGamma || math.IsNaN(o.gamma) {
		return usageError{fmt.Errorf("--gamma is %g, want a number from %g to %g", o.gamma, -mostToyGamma, mostToyGamma)}
	}
	return checkOutputDir(o.out)
}

// mostToyGamma bounds coupling strengths, which are 12 and 32 in the paper: beyond, a
// step is larger than float32 numbers are.
const mostToyGamma = 1e6

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
	record := newRecord("toy", invocation, o.seed, nil)
	var s toySummary
	var out *manifest.Folder
	if o.out != "" {
		var err error
		if out, err = openOutput(stderr, o.out, record, "pairs.npz", "toy.svg", "toy.png", "summary.json"); err != nil {
			return s, err
		}
		defer out.Close()
	}
	var drawn []*toy.Pairs
	for _, m := range methods {
		pairs, err := toy.Run(ctx, m, toy.Options{
			Pairs: o.pairs, Seed: &o.seed, Strength: o.strength(), Workers: o.workers, Progress: newProgress(stderr, string(m)),
		})
		if err != nil {
			return s, err // what an earlier run wrote stays
		}
		drawn = append(drawn, pairs)
		s.Runs = append(s.Runs, toy.Summarise(pairs))
	}
	if out == nil {
		return s, nil
	}
	out.Settings = o.settings(drawn)
	s.Status = manifest.Finished
	if err := writeToy(out, drawn, s); err != nil {
		return s, err
	}
	var err error
	s.Files, err = deliverOutput(stderr, out)
	return s, err
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

// writeToy writes the pairs, the figure and the summary.
func writeToy(out *manifest.Folder, drawn []*toy.Pairs, s toySummary) error {
	if err := out.Add("pairs.npz", func(path string) error { return savePairs(path, drawn) }); err != nil {
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
		if err := out.Add(name, figure.Save); err != nil {
			return err
		}
	}
	return out.Add("summary.json", func(path string) error { return atomicfile.WriteJSON(path, s) })
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
	if len(s.Runs) > 0 {
		t := tableOf(1, "method\tpairs\tthrough a wall\toverlapping\tneither\tcertified\tworst violation\tseconds")
		for _, r := range s.Runs {
			t.Add("%s\t%d\t%.4f\t%.4f\t%.4f\t%s\t%.3g\t%.2f", r.Method, r.Pairs, r.POut, r.POverlap, r.PValid, yesNo(r.Certified), r.MaxViolation, r.Seconds)
		}
		if err := printTable(w, t); err != nil {
			return err
		}
	}
	if len(s.Verify) > 0 {
		t := tableOf(2, "pair\t\tJS (nats)\tTV\tL2")
		for _, r := range s.Verify {
			t.Add("%s\tours\t%.2e\t%.2e\t%.2e", r.Pair, r.JS, r.TV, r.L2)
			t.Add("\tpublished\t%.2e\t%.2e\t%.2e", r.Published.JS, r.Published.TV, r.Published.L2)
			t.Add("\tequal laws\t%.2e\t%.2e\t%.2e", r.Expected.JS, r.Expected.TV, r.Expected.L2)
		}
		if err := printTable(w, t); err != nil {
			return err
		}
	}
	printWritten(w, s.Files...)
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
