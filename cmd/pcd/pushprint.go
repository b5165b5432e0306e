package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/samplers"
	"github.com/go-pcd/pcd/internal/terminal"
)

// printPush prints the summary of pairs, as text or as JSON.
func printPush(w io.Writer, s *planner.PushSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	printLine(w, "PushT from %s: %s, %s, speed limit %g, preset %s", s.Init, plural.Of(s.Pairs, "pair"), s.Method, s.Limit, s.Preset)
	var t terminal.Fields
	if s.Scale != "" {
		t.Add("coupling strength", "γ = %g, as %s", s.Gamma, s.Scale)
	}
	if s.Sampler != "" || s.Steps > 0 {
		t.Add("sampled by", "%s", sampledBy(s))
	}
	m := s.Metrics
	t.Add("members apart", "DTW %.3f, Fréchet distance %.3f", m.DTW, m.DFD)
	t.Add("plans within the speed limit", "%.1f / %.1f %%, by member", 100*m.CS[0], 100*m.CS[1])
	t.Add("task completed", "%.3f / %.3f, by member", m.TC[0], m.TC[1])
	t.Add("speed certificate", "%s", pushVerdict(s))
	x := s.Seconds
	t.Add("time", "%.2f s: network %.2f, its derivative %.2f, coupling %.2f, projection %.2f, physics %.2f, other %.2f",
		x.Total, x.Network, x.VJP, x.Coupling, x.Projection, x.Physics, x.Other)
	if err := printFields(w, &t); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// sampledBy says which sampler took how many steps.
func sampledBy(s *planner.PushSummary) string {
	name := cmp.Or(s.Sampler, samplers.DDPM)
	if s.Steps == 0 {
		return name
	}
	return name + " in " + plural.Of(s.Steps, "step")
}

func pushVerdict(s *planner.PushSummary) string {
	c := s.Certificate
	switch {
	case c.Certified:
		return fmt.Sprintf("certified for every plan; the fastest action stays %.2g below the limit", -c.MaxViolation)
	case !s.Method.Projected():
		return "none: the method keeps no limit"
	}
	return fmt.Sprintf("none: action %d of member %d of pair %d exceeds the limit by %.3g", c.Action, c.Member, c.Pair.Number, c.MaxViolation)
}
