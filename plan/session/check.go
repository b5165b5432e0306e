package session

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
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
	case team.Motion == plan.Curve:
		return &UpdateError{"motion", team.Motion, "want polyline: sessions take over at waypoints of straight ways"}
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
	for i := range t.Robots {
		t.Robots[i].StartVelocity = geom.Vec2{} // nobody has to come back
	}
	return t.CheckRun(o)
}

// check returns an error for an update that makes no sense.
func (s *Session) check(u Update) error {
	n := len(s.team.Robots)
	switch {
	case u.Steps < 0:
		return &UpdateError{"steps", u.Steps, "want 0 or more"}
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
			return &UpdateError{"state of " + s.team.Robots[i].Name, x, "want finite numbers"}
		}
	}
	for i, p := range u.Goals {
		if !p.IsFinite() {
			return &UpdateError{"goal of " + s.team.Robots[i].Name, p, "want finite numbers"}
		}
	}
	return s.checkTraffic(u.Traffic)
}

// checkTraffic returns an error for paths that do not fit the plans.
func (s *Session) checkTraffic(traffic []plan.Mover) error {
	t := s.team
	t.Traffic = traffic
	if err := t.CheckTraffic(); err != nil {
		return &UpdateError{"traffic", len(traffic), "want others: " + err.Error()}
	}
	return nil
}
