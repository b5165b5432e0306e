package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/internal/told"
)

// printJudgement prints a judgement, as text or as JSON.
func printJudgement(w io.Writer, s *planner.JudgeSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	task := s.Task
	if s.Name != "" {
		task = fmt.Sprintf("%s (%s)", s.Name, s.Task)
	}
	printLine(w, "%s: %s", task, plural.Of(len(s.Robots), "robot"))
	var t terminal.Fields
	for _, f := range s.Paths {
		t.Add("paths", "%s, a %s: %s", f.File, f.Kind, plural.Of(f.Robots, "robot"))
	}
	if m := s.Map; m != nil {
		t.Add("map", "%s", describeMap(m, s.Units))
	}
	t.Add("motion", "%s", describeMotion(s))
	for _, note := range s.Notes {
		t.Add("note", "%s", note)
	}
	verdict := "NOT certified"
	switch {
	case s.Proof != nil:
		verdict = fmt.Sprintf("certified in continuous time, proven by %s", plural.Of(len(s.Proof.Pairs)+len(s.Proof.Obstacles), "direction"))
	case s.Certificate.Certified:
		verdict = "certified, at any times"
	}
	if l := s.Certificate.Lateness; l > 0 && s.Certificate.Certified {
		verdict += fmt.Sprintf("; and for robots that are up to %.4g s late", l)
	}
	t.Add("judgement", "%s", verdict)
	for _, m := range s.Certificate.Margins {
		t.Add("", "%s: %s", m.Constraint, describeJudged(m, s.Robots))
	}
	if p := s.StoredProof; p != nil && p.Holds {
		t.Add("stored proof", "holds, in %s that leave out no time", plural.Of(p.Rows, "direction"))
	}
	addFaults(&t, "contact", s.Contacts, s.Units)
	addFaults(&t, "limit", s.Exceeded, s.Units)
	for _, c := range s.Contradictions {
		t.Add("contradiction", "%s", c)
	}
	if err := printFields(w, &t); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// describeMotion says how robots move.
func describeMotion(s *planner.JudgeSummary) string {
	kinds := map[string]int{}
	end := 0.0
	for _, r := range s.Robots {
		kinds[r.Motion]++
		end = max(end, r.To)
	}
	words := map[string]string{"curve": "on cubics", "polyline": "straight from point to point", "order": "at any times"}
	var parts []string
	for _, k := range []string{"curve", "polyline", "order"} {
		switch n := kinds[k]; n {
		case 0:
		case len(s.Robots):
			parts = append(parts, words[k])
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, words[k]))
		}
	}
	if kinds["order"] == len(s.Robots) {
		return parts[0]
	}
	return fmt.Sprintf("%s, until %s s", strings.Join(parts, ", "), told.Seconds(end))
}

// describeJudged says how much room a constraint leaves, to whom, and when; of ways without times where.
func describeJudged(m planner.JudgedMargin, robots []planner.JudgedRobot) string {
	who, when, size := m.Robot, "at "+told.Seconds(m.Time)+" s", 0.0
	for _, r := range robots {
		if r.Name == m.Robot {
			size = r.Radius
		}
	}
	if slices.ContainsFunc(robots, func(r planner.JudgedRobot) bool {
		return r.Motion == "order" && (r.Name == m.Robot || r.Name == m.Other)
	}) {
		when = "near " + told.Place(m.At[0], m.At[1], size)
	}
	switch {
	case m.Other != "":
		who += " and " + m.Other
	case m.Obstacle != nil:
		who += fmt.Sprintf(" and obstacle %d", *m.Obstacle)
	}
	return fmt.Sprintf("%.3g left, %s %s", m.Margin, who, when)
}

// toldFaults is how many faults are told one by one.
const toldFaults = 20

func addFaults(t *terminal.Fields, name string, all []planner.JudgedFault, u planner.Units) {
	for _, f := range all[:min(len(all), toldFaults)] {
		t.Add(name, "%s", f.Describe(u))
	}
	if more := len(all) - toldFaults; more > 0 {
		t.Add(name, "and %d more, all of which --json and -o tell", more)
	}
}
