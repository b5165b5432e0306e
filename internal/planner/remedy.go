package planner

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// A remedy is a change of a task after which there may be a plan.
type remedy struct {
	what    string // "with a duration of 20 s"
	team    plan.Team
	options plan.Options
}

// remedyTime bounds the time in which remedies are tried, beside that of the run that
// failed, unless the request says otherwise.
const remedyTime = 2 * time.Second

// Each remedy has a third of the time that is left, so that one that is as hard as the task leaves time for others,
// and no less than it takes to draw a sample.
const (
	remediesAtOnce = 3
	leastRemedy    = 100 * time.Millisecond
)

// forRemedies returns the time in which remedies are tried after a run that took so long; 0 or less for none. Where the
// search for a plan had a limit they are within it or, where it leaves them no time, a tenth of it beyond.
func (t *PlanTask) forRemedies(took, limit time.Duration) time.Duration {
	beside := cmp.Or(t.Request.RemedyTime, remedyTime)
	if limit > 0 {
		return max(min(beside, limit/10), min(limit-took, took+beside))
	}
	return took + beside
}

// tryRemedies plans for changed tasks, one after the other, until one has a certified plan or the time is over,
// and says which ones; "" where there is no time. What was not tried is not advised.
func (t *PlanTask) tryRemedies(ctx context.Context, all []remedy, within time.Duration) string {
	began := time.Now()
	var failed, cut []string
	for k, r := range all {
		left := within - time.Since(began)
		if r.options.TimeLimit = left / time.Duration(min(len(all)-k, remediesAtOnce)); r.options.TimeLimit < leastRemedy {
			break
		}
		result, err := plan.Run(ctx, r.team, r.options)
		switch {
		case ctx.Err() != nil:
			return ""
		case err == nil && result.Plan != nil:
			return r.what + " there is a certified plan"
		case err == nil && result.Refusal != nil && result.Refusal.TimeLimit > 0:
			cut = append(cut, r.what)
		default:
			failed = append(failed, r.what)
		}
	}
	switch {
	case within <= 0:
		return ""
	case len(all) > 0 && failed == nil && cut == nil:
		return "there was no time to try what may help"
	}
	return noHelp(failed, cut)
}

// noHelp says which remedies are of no use, and for which the time was too short to say.
func noHelp(failed, cut []string) string {
	var parts []string
	if len(failed) > 0 {
		parts = append(parts, "no plan was found either "+strings.Join(failed, ", or "))
	}
	if len(cut) > 0 {
		parts = append(parts, "there was too little time to find one "+strings.Join(cut, ", or "))
	}
	if parts == nil {
		return "nothing is known that would help"
	}
	return strings.Join(parts, "; ")
}

// remedies lists what is worth a try: what the user can change with one number, or leave
// out.
func (t *PlanTask) remedies(d *plan.Plan, seconds float64) (all []remedy) {
	o := t.Options
	o.Progress, o.Search.Progress, o.Trying = nil, nil, nil
	if !o.Settings.Repair {
		repaired := o
		repaired.Settings.Repair = true
		all = append(all, remedy{"with repair", t.Team, repaired})
	}
	if o.Method.Searches() {
		return all // each of them may take all of the time
	}
	_, parked := t.inTheWay(d.Certificate.Worst())
	for _, m := range parked {
		team, _ := without(t.Team, m.Name)
		all = append(all, remedy{"without " + m.Name, team, o})
	}
	if seconds > 0 {
		what, team := t.lasting(seconds)
		all = append(all, remedy{what, team, o})
	}
	for _, kind := range []separation.Kind{separation.Heading, separation.Curvature, separation.Turning} {
		if m := marginOf(d.Certificate, kind); m != nil && !m.Kept(d.Certificate.Margin) {
			if team, ok := withoutHeadings(t.Team, m.Robot); ok {
				all = append(all, remedy{"without the headings of " + m.Robot, team, o})
			}
		}
	}
	if !t.Team.Shortest { // which tries longer ones
		what, team := t.slower(2)
		all = append(all, remedy{what, team, o})
	}
	if team, ok := t.straight(); ok {
		all = append(all, remedy{"with --motion polyline (straight from waypoint to waypoint)", team, o})
	}
	if !t.Team.Shortest {
		what, team := t.slower(4)
		all = append(all, remedy{what, team, o})
	}
	if m := marginOf(d.Certificate, separation.Acceleration); m != nil && !m.Kept(d.Certificate.Margin) {
		for _, factor := range []float64{2, 4, 8} {
			what, team := t.stronger(m.Robot, factor)
			all = append(all, remedy{what, team, o})
		}
	}
	if t.Team.Margin > 0 {
		team := t.Team
		team.Margin, team.GivenMargin = 0, 0
		all = append(all, remedy{"without the margin", team, o})
	}
	for _, name := range involved(d.Certificate) {
		if team, ok := without(t.Team, name); ok {
			all = append(all, remedy{"without " + name, team, o})
		}
	}
	return all
}

// straight returns a team on curves as one on polylines, and whether there is one: polylines
// have no limits of turning.
func (t *PlanTask) straight() (team plan.Team, ok bool) {
	team = t.Team
	ok = team.Motion == plan.Curve && !slices.ContainsFunc(team.Robots, func(r plan.Robot) bool {
		return r.TurnRate > 0 || r.TurningRadius > 0 || r.StartHeading != nil || r.GoalHeading != nil
	})
	team.Motion, team.Shortest = plan.Polyline, false
	return team, ok
}

// slower returns the team with so many times the duration, as a scene can give it, or the
// speed limit, as a request for a published map can.
func (t *PlanTask) slower(factor float64) (what string, team plan.Team) {
	team = t.Team
	if team.IsScene() {
		return t.lasting(factor * team.Step * float64(cmp.Or(team.Waypoints, nav2d.Waypoints)))
	}
	team.Robots = slices.Clone(team.Robots)
	least := math.Inf(1)
	for i := range team.Robots {
		team.Robots[i].Limit *= factor
		least = min(least, team.Robots[i].Limit)
	}
	return fmt.Sprintf("with a speed limit of %s", told.Digits(least, 4)), team
}

// lasting returns the team with so many seconds. Where it has more waypoints than models draw, because
// it moves from cell to cell, they become more; otherwise steps become longer.
func (t *PlanTask) lasting(seconds float64) (what string, team plan.Team) {
	team = t.Team
	if was := team.Waypoints; was > nav2d.Waypoints {
		team.Waypoints = int(math.Ceil(seconds / team.Step))
		seconds = team.Step * float64(team.Waypoints)
	} else {
		team.Step = seconds / nav2d.Waypoints
	}
	return fmt.Sprintf("with a duration of %s s", told.AtLeast(seconds, 4)), team
}

// stronger returns the team with so many times the acceleration of a robot.
func (t *PlanTask) stronger(name string, factor float64) (what string, team plan.Team) {
	team = t.Team
	team.Robots = slices.Clone(team.Robots)
	for i := range team.Robots {
		if r := &team.Robots[i]; r.Name == name {
			r.Acceleration *= factor
			what = fmt.Sprintf("with an acceleration of %s for %s", told.Digits(digits(team.AccelerationOf(*r)), 4), name)
		}
	}
	return what, team
}

// involved lists who touches whom: the first robots or traffic that constraints which fail
// name, each once.
func involved(c plan.Certificate) (names []string) {
	for _, m := range c.Margins {
		if m.Kept(c.Margin) {
			continue
		}
		for _, name := range []string{m.Other, m.Robot} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// withoutHeadings returns a team of which a robot starts and ends in any direction, and whether it had one to keep.
func withoutHeadings(t plan.Team, name string) (out plan.Team, had bool) {
	t.Robots = slices.Clone(t.Robots)
	for i := range t.Robots {
		if r := &t.Robots[i]; r.Name == name {
			had = r.StartHeading != nil || r.GoalHeading != nil
			r.StartHeading, r.GoalHeading = nil, nil
		}
	}
	return t, had
}

// without returns a team without a robot or traffic, and whether somebody is left to plan for.
func without(t plan.Team, name string) (plan.Team, bool) {
	t.Robots = slices.DeleteFunc(slices.Clone(t.Robots), func(r plan.Robot) bool { return r.Name == name })
	t.Traffic = slices.DeleteFunc(slices.Clone(t.Traffic), func(m plan.Mover) bool { return m.Name == name })
	return t, len(t.Robots) > 0
}
