package main

import (
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
)

// toyOptions are the flags of "pcd toy".
type toyOptions struct {
	planner.ToyRequest
	pairs int
	seed  uint64
	gamma float64
	delivery
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
			if o.Verify && cmd.Flags().Changed("output") {
				return usageError{errors.New("--output has no effect with --verify")}
			}
			return deliver(cmd, o.delivery, invocation, &planner.ToyTask{Request: o.request(cmd.Flags())}, printToy)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Method, "method", string(toy.PCD), "conditional, coupled, pcd, pd, cg or all")
	number(f, &o.pairs, planner.ToyPairs)
	f.Uint64Var(&o.seed, "seed", toy.DefaultSeed, "seed of the random field")
	number(f, &o.gamma, planner.ToyGamma)
	f.BoolVar(&o.Verify, "verify", false, "check the special cases numerically")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON")
	f.StringVarP(&o.out, "output", "o", "", "directory for pairs, figure and manifest")
	number(f, &o.Workers, settings.Workers)
	return c
}

// request returns the request that the flags make. Flags that were not given are left to
// the task.
func (o toyOptions) request(f *pflag.FlagSet) planner.ToyRequest {
	r := o.ToyRequest
	r.Pairs, r.Seed, r.Gamma = given(f, "pairs", o.pairs), given(f, "seed", o.seed), given(f, "gamma", o.gamma)
	if !f.Changed("method") {
		r.Method = ""
	}
	return r
}

func printToy(w io.Writer, s *planner.ToySummary, asJSON bool) error {
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
