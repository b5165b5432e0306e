package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/terminal"
)

// printPair prints the summary of pairs of images, as text or as JSON.
func printPair(w io.Writer, s *planner.PairSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	printLost(w, s.Lost)
	printClip(w, s.Clip)
	printLine(w, "%s of images by %s, %s, seed %d", plural.Of(s.Pairs, "pair"), s.Method, plural.Of(s.Steps, "step"), s.Seed)
	var t terminal.Fields
	printOwners(&t, s)
	if s.Gamma > 0 {
		t.Add("coupling strength", "γ = %.4g", s.Gamma)
	}
	if s.SyncWeight > 0 {
		t.Add("weight of the gradient", "w = %.4g", s.SyncWeight)
	}
	if s.Control > 0 {
		t.Add("scale of the control", "%.4g", s.Control)
	}
	t.Add("noise scale", "k = %.4g", s.NoiseScale)
	if s.FreeNoiseScale > 0 {
		t.Add("free steps", "γ = %.4g, k = %.4g", s.FreeGamma, s.FreeNoiseScale)
	}
	if s.Projection != "" {
		t.Add("projection", "%s, after timesteps %s", s.Projection, s.Timesteps)
	}
	if s.XOR != nil {
		t.Add(string(s.Attribute)+" as asked for", "in %.0f %% of the pairs, by the judge", 100**s.XOR)
	}
	if male := maleShares(s); male != "" {
		t.Add("taken for male", "%s", male)
	}
	t.Add("certificate", "%s", pairVerdict(s))
	x := s.Seconds
	t.Add("time", "%.2f s: network %.2f, coupling %.2f, projection %.2f, encoding %.2f, decoding %.2f, judge %.2f, other %.2f",
		x.Total, x.Network, x.Coupling, x.Projection, x.Encode, x.Decode, x.Judge, x.Other)
	if err := printFields(w, &t); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// printOwners says whose classifiers couple and judge images that several models draw.
func printOwners(t *terminal.Fields, s *planner.PairSummary) {
	for _, by := range [][2]string{{"coupled by a classifier of", s.CoupledBy}, {"judged by that of", s.JudgedBy}} {
		if by[1] != "" {
			t.Add(by[0], "%s", quote.Text(by[1]))
		}
	}
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
	case s.Box > 0:
		return fmt.Sprintf("none: after step %d, %s of pair %d is no point of hull and box; they may have nothing in common", c.Step+1, c.Member, c.Pair)
	}
	return fmt.Sprintf("none: after step %d, %s of pair %d has a residual of %.3g, above %.1e", c.Step+1, c.Member, c.Pair, c.MaxResidual, c.Bound)
}
