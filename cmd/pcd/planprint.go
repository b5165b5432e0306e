package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/internal/told"
)

// printPlan prints the summary of a plan, as text or as JSON.
func printPlan(w io.Writer, s *planner.PlanSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	printLine(w, "%s", planHeadline(s))
	var t terminal.Fields
	m, p := s.Samples.Metrics, s.Shown()
	if size := describeSize(s); size != "" {
		t.Add("robots", "%s", size)
	}
	if m := s.Map; m != nil {
		t.Add("map", "%s", describeMap(m, s.Units))
	}
	for _, note := range s.Notes {
		t.Add("note", "%s", note)
	}
	t.Add("plan", "%s", describePlan(s))
	for _, line := range describeMargins(s) {
		t.Add("", "%s", line)
	}
	for _, c := range p.Changes {
		t.Add("changed", "%s", c)
	}
	t.Add("samples, at waypoints", "%s", describeSamples(len(s.Robots), m))
	if limited(s) {
		t.Add("within the speed limit", "%s of samples", byRobot(m.CS))
	}
	if m.DA != nil {
		t.Add("on the motion pattern", "%s of samples; the plan %s", byRobot(m.DA), strings.TrimSuffix(byRobot(p.DA), ","))
	}
	t.Add("speed limits", "%s", verdict(s))
	if r := s.Search; r != nil {
		t.Add("search", "%s: %s after %s and %s", r.Status, plural.Of(r.Conflicts, "conflict"), plural.Of(r.Expanded, "expansion"), plural.Of(r.Plans, "plan"))
	}
	x := s.Seconds
	t.Add("time", "%.2f s: model %.2f, coupling %.2f, projection %.2f, other %.2f; repair %.2f", x.Total+p.Seconds, x.Model, x.Coupling, x.Projection, x.Other, p.Seconds)
	if err := printFields(w, &t); err != nil {
		return err
	}
	printWritten(w, s.Files...)
	return nil
}

// planHeadline says what was planned and how.
func planHeadline(s *planner.PlanSummary) string {
	task := s.Task
	if s.Name != "" {
		task = fmt.Sprintf("%s (%s)", s.Name, s.Task)
	}
	line := fmt.Sprintf("%s: %s, %s, %s", task, plural.Of(len(s.Robots), "robot"), plural.Of(s.Samples.Number, "joint sample"), s.Method)
	if limit := s.CommonLimit(); limit != nil {
		line += fmt.Sprintf(", speed limit %g %s", *limit, s.Units.Speed)
	}
	return line + ", preset " + s.Preset
}

// describeSize says how large the robots of a published map are, "" when they are as
// published or a scene says it.
func describeSize(s *planner.PlanSummary) string {
	radius, n := s.Robots[0].Radius, len(s.Robots) // all have the same
	if _, err := nav2d.MapByName(s.Task); err != nil || radius == nav2d.RobotRadius {
		return ""
	}
	size := fmt.Sprintf("of radius %.3g instead of the published %g", radius, nav2d.RobotRadius)
	if radius == nav2d.CrowdScale(n)*nav2d.RobotRadius {
		size += fmt.Sprintf(", so that %d of them fit", n)
	}
	return size
}

// describeMap says what the walls were read from.
func describeMap(m *nav2d.MapFile, u planner.Units) string {
	line := fmt.Sprintf("%s, a %s: %s", m.File, m.Kind, plural.Of(m.Solids, "convex obstacle"))
	if m.Resolution > 0 && m.Resolution != 1 {
		line += fmt.Sprintf(", from cells of %g %s", m.Resolution, u.Length)
	}
	if m.Places > 0 {
		line += ", " + plural.Of(m.Places, "named place")
	}
	return line
}

// limited reports whether a robot has a speed limit.
func limited(s *planner.PlanSummary) bool {
	return slices.ContainsFunc(s.Robots, func(r planner.RobotSummary) bool { return r.Limit != nil })
}

// listed is how many robots are listed one by one.
const listed = 8

// byRobot tells rates of robots: one by one as long as they are few and differ.
func byRobot(v []float64) string {
	lowest, highest := slices.Min(v), slices.Max(v)
	switch {
	case lowest == highest:
		return fmt.Sprintf("%.1f %%", 100*lowest)
	case len(v) <= listed:
		return percentages(v) + " %, by robot,"
	}
	return fmt.Sprintf("%.1f to %.1f %%, by robot,", 100*lowest, 100*highest)
}

func percentages(v []float64) string {
	var parts []string
	for _, x := range v {
		parts = append(parts, fmt.Sprintf("%.1f", 100*x))
	}
	return strings.Join(parts, " / ")
}

func verdict(s *planner.PlanSummary) string {
	c := s.Samples.Limits
	if c.Certified {
		return fmt.Sprintf("certified for every sample; the fastest step stays %.2g %s below the limit", -c.MaxViolation, s.Units.Speed)
	}
	if c.Robot == "" {
		return "no speed limit"
	}
	return fmt.Sprintf("none: %s exceeds its limit by %.3g %s in sample %d", c.Robot, c.MaxViolation, s.Units.Speed, c.Sample)
}

// describePlan says whether the plan is safe and how far it is from its sample.
func describePlan(s *planner.PlanSummary) string {
	p, unit := s.Shown(), s.Units.Length
	safe := "certified in continuous time" + planner.DescribeLateness(s.Lateness, p.Certificate.Lateness)
	if s.Plan == nil {
		safe = "NOT safe in continuous time"
	}
	text := fmt.Sprintf("%s; made from sample %d, %s %s long in all", safe, p.Sample, told.Digits(p.Length, 4), unit)
	if p.Displacement > 0 {
		text += fmt.Sprintf(", moved by up to %.3g", p.Displacement)
	}
	return text
}

// describeMargins tells the smallest margin of every kind of constraint.
func describeMargins(s *planner.PlanSummary) (lines []string) {
	for _, m := range s.Shown().Certificate.Margins {
		lines = append(lines, m.Constraint+": "+planner.DescribeMargin(m))
	}
	return lines
}

// describeSamples tells the measures of the tables, which look at waypoints only.
func describeSamples(robots int, m planner.PlanMetrics) string {
	text := fmt.Sprintf("clear of obstacles %.1f %%, within the rules %.1f %%", 100*m.ObstacleSafe, 100*m.Feasible)
	if robots == 1 {
		return text
	}
	return fmt.Sprintf("robots apart in %.1f %%, %s", 100*m.RS, text)
}
