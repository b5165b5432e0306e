package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/go-pcd/pcd/planner"
)

// printPush prints the summary of pairs, as text or as JSON.
func printPush(w io.Writer, s *planner.PushSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	fmt.Fprintf(w, "PushT from %s: %d pairs, %s, speed limit %g, preset %s\n", s.Init, s.Pairs, s.Method, s.Limit, s.Preset)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if s.Scale != "" {
		fmt.Fprintf(t, "coupling strength\tγ = %g, as %s\n", s.Gamma, s.Scale)
	}
	m := s.Metrics
	fmt.Fprintf(t, "members apart\tDTW %.3f, Fréchet distance %.3f\n", m.DTW, m.DFD)
	fmt.Fprintf(t, "plans within the speed limit\t%.1f / %.1f %%, by member\n", 100*m.CS[0], 100*m.CS[1])
	fmt.Fprintf(t, "task completed\t%.3f / %.3f, by member\n", m.TC[0], m.TC[1])
	fmt.Fprintf(t, "speed certificate\t%s\n", pushVerdict(s))
	x := s.Seconds
	fmt.Fprintf(t, "time\t%.2f s: network %.2f, its derivative %.2f, coupling %.2f, projection %.2f, physics %.2f, other %.2f\n",
		x.Total, x.Network, x.VJP, x.Coupling, x.Projection, x.Physics, x.Other)
	if err := t.Flush(); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
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
