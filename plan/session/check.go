package session

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// checkSession returns an error for what keeps a team from being planned for again and
// again.
func checkSession(team plan.Team, o plan.Options) error {
	if _, err := plan.ParseMethod(string(o.Method)); err != nil {
		return err
	}
	s := o.Settings
	switch {
	case o.Method.Searches():
		return &UpdateError{"method", o.Method, "want one that samples all robots together"}
	case !s.Repair || !s.PinGoal || !s.ExactProjection || !s.Velocities:
		return &UpdateError{"settings", s.Name, "want repair, held goals, exact projections and velocities, as in the preset default"}
	case o.Samples < 0:
		return &UpdateError{"samples", o.Samples, "want 0 for the default, or more"}
	}
	for i, r := range team.Robots {
		if r.GoalVelocity != (geom.Vec2{}) {
			return &plan.TeamError{Robot: r.Name, Reason: fmt.Sprintf("the velocity at the goal is (%v, %v), want 0: between plans robots rest", r.GoalVelocity.X, r.GoalVelocity.Y)}
		}
		if !r.StartVelocity.IsFinite() {
			return &plan.TeamError{Robot: r.Name, Reason: "the velocity at the start is not finite"}
		}
		if math.IsNaN(r.Acceleration) {
			return &plan.TeamError{Robot: team.Robots[i].Name, Reason: "the acceleration is NaN, want a positive number, or 0 for no limit"}
		}
	}
	t := endingAtStarts(team)
	t.Shortest = false // of standing there is no such time
	for i := range t.Robots {
		t.Robots[i].StartVelocity = geom.Vec2{} // nobody has to come back
	}
	return t.CheckRun(o)
}

// digits is what places of updates are told to a hundredth of.
const digits = 1e-4

// check returns an error for an update that makes no sense.
func (s *Session) check(u Update) error {
	n := len(s.team.Robots)
	switch {
	case u.Steps < 0:
		return &UpdateError{"steps", u.Steps, "want 0 or more"}
	case !(u.Seconds >= 0) || math.IsInf(u.Seconds, 0):
		return &UpdateError{"seconds", u.Seconds, "want a finite number, 0 or more"}
	case u.Within < 0:
		return &UpdateError{"time", u.Within, "want 0 for the first certified plan, or more"}
	case u.States != nil && len(u.States) != n:
		return &UpdateError{"number of states", len(u.States), fmt.Sprintf("want one for each of %d robots", n)}
	case u.Goals != nil && len(u.Goals) != n:
		return &UpdateError{"number of goals", len(u.Goals), fmt.Sprintf("want one for each of %d robots", n)}
	case u.Map != nil && u.Map.Bounds != s.team.Map.Bounds:
		return &UpdateError{"bounds of the map", u.Map.Bounds, fmt.Sprintf("want those before, %v", s.team.Map.Bounds)}
	}
	for i, x := range u.States {
		if !x.Position.IsFinite() || !x.Velocity.IsFinite() {
			return &UpdateError{"state of " + s.team.Robots[i].Name, "at " + told.Place(x.Position.X, x.Position.Y, digits) + " with a velocity of " + told.Place(x.Velocity.X, x.Velocity.Y, digits), "want finite numbers"}
		}
	}
	for k, c := range u.Obstacles {
		if err := checkObstacle(k, c); err != nil {
			return err
		}
	}
	for _, n := range u.Join {
		if err := n.check(s); err != nil {
			return err
		}
	}
	return errors.Join(s.checkNames(u), s.checkTraffic(u.Traffic))
}

// checkObstacle returns an error for an obstacle that is none.
func checkObstacle(k int, c geom.Convex) error {
	what := fmt.Sprintf("obstacle %d", k)
	for _, v := range c.Core {
		if !v.IsFinite() {
			return &UpdateError{what, told.Place(v.X, v.Y, digits), "want finite numbers"}
		}
	}
	switch {
	case len(c.Core) == 0 || len(c.Core) > 2 && !c.Core.IsConvex():
		return &UpdateError{what, len(c.Core), "want a point, a segment or a convex polygon that runs counter-clockwise"}
	case !(c.Radius >= 0) || math.IsInf(c.Radius, 0):
		return &UpdateError{what, c.Radius, "want a radius of 0 or more"}
	}
	return nil
}

// checkNames returns an error for names of robots that join or leave and cannot.
func (s *Session) checkNames(u Update) error {
	names := map[string]bool{}
	for _, r := range s.team.Robots {
		names[r.Name] = true
	}
	for _, n := range u.Stop {
		if !names[n] {
			return &UpdateError{"robot that stops", n, "want one of the team"}
		}
	}
	for _, n := range u.Leave {
		if !names[n] {
			return &UpdateError{"robot that leaves", n, "want one of the team, once"}
		}
		delete(names, n)
	}
	for _, n := range u.Join {
		if n.Name == "" || names[n.Name] {
			return &UpdateError{"name of a newcomer", fmt.Sprintf("%q", n.Name), "want one that nobody has"}
		}
		if text := quote.Text(n.Name); text != n.Name { // names are printed
			return &UpdateError{"name of a newcomer", text, "want one on a line, of at most 200 bytes"}
		}
		names[n.Name] = true
	}
	if len(names) == 0 {
		return &UpdateError{"robots that leave", len(u.Leave), "want one to stay: a session has a robot at least"}
	}
	return nil
}

// checkTraffic returns an error for paths that do not fit the plans.
func (s *Session) checkTraffic(traffic []plan.Mover) error {
	t := s.team
	t.Traffic = traffic // radii are positive in any units
	if err := t.CheckTraffic(); err != nil {
		return &UpdateError{"traffic", len(traffic), "want others: " + err.Error()}
	}
	return nil
}
