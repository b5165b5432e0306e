package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/go-pcd/pcd/planner"
)

// printPair prints the summary of pairs of images, as text or as JSON.
func printPair(w io.Writer, s *planner.PairSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	fmt.Fprintf(w, "%d pairs of images by %s, %d steps, seed %d\n", s.Pairs, s.Method, s.Steps, s.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if s.Gamma > 0 {
		fmt.Fprintf(t, "coupling strength\tγ = %.4g\n", s.Gamma)
	}
	if s.SyncWeight > 0 {
		fmt.Fprintf(t, "weight of the gradient\tw = %.4g\n", s.SyncWeight)
	}
	if s.Control > 0 {
		fmt.Fprintf(t, "scale of the control\t%.4g\n", s.Control)
	}
	fmt.Fprintf(t, "noise scale\tk = %.4g\n", s.NoiseScale)
	if s.Projection != "" {
		fmt.Fprintf(t, "projection\t%s, after timesteps %s\n", s.Projection, s.Timesteps)
	}
	if s.XOR != nil {
		fmt.Fprintf(t, "%s as it has to be\t%.0f %% of the pairs, by the judge\n", s.Attribute, 100**s.XOR)
	}
	if male := maleShares(s); male != "" {
		fmt.Fprintf(t, "taken for male\t%s\n", male)
	}
	fmt.Fprintf(t, "certificate\t%s\n", pairVerdict(s))
	x := s.Seconds
	fmt.Fprintf(t, "time\t%.2f s: network %.2f, coupling %.2f, projection %.2f, encoding %.2f, decoding %.2f, judge %.2f, other %.2f\n",
		x.Total, x.Network, x.Coupling, x.Projection, x.Encode, x.Decode, x.Judge, x.Other)
	if err := t.Flush(); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// maleShares lists how likely the images of each member are male.
func maleShares(s *planner.PairSummary) string {
	var all []string
	for _, m := range s.Members {
		if m.Male != nil {
			all = append(all, fmt.Sprintf("%s %.0f %%", m.Name, 100**m.Male))
		}
	}
	return strings.Join(all, ", ")
}

func pairVerdict(s *planner.PairSummary) string {
	c := s.Certificate
	switch {
	case s.Projection == "":
		return "none: the method keeps no hull"
	case c.Certified:
		return fmt.Sprintf("all %d projected latents lie in the hulls; weights add up to 1, the largest residual is %.1e of a bound of %.1e", c.Latents, c.MaxResidual, c.Bound)
	case c.Latents == 0:
		return "none: no timestep is projected"
	case s.Box > 0:
		return fmt.Sprintf("none: after step %d, %s of pair %d is no point of hull and box; they may have nothing in common", c.Step+1, c.Member, c.Pair)
	}
	return fmt.Sprintf("none: after step %d, %s of pair %d has a residual of %.3g, above %.1e", c.Step+1, c.Member, c.Pair, c.MaxResidual, c.Bound)
}
