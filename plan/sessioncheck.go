package plan

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project"
)

// UnsafeError says that no certified plan was found, and what fails in the one that
// fails least.
type UnsafeError struct {
	Plan  string            // what was tried: "sample" or "stop"
	Worst *ConstraintMargin // in the units of the task
	// Nearest is what came nearest to a plan, not certified; nil for none.
	Nearest *Plan
	Err     error // of a search without paths; nil otherwise
}

// Unwrap returns the error of a search.
func (e *UnsafeError) Unwrap() error { return e.Err }

func (e *UnsafeError) Error() string {
	m := e.Worst
	if e.Err != nil {
		return e.Err.Error()
	}
	if m == nil {
		return fmt.Sprintf("plan: no %s is certified", e.Plan)
	}
	with := ""
	switch {
	case m.Other != "":
		with = " and " + m.Other
	case m.Nearest != nil:
		with = fmt.Sprintf(" and obstacle %d", *m.Nearest)
	}
	return fmt.Sprintf("plan: no %s is certified: %s of %s%s fails with a margin of %.3g at (%.4g, %.4g)",
		e.Plan, m.Constraint, m.Robot, with, m.Margin, m.At[0], m.At[1])
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *UnsafeError) Is(target error) bool { return target == project.ErrInfeasible }

// checkSession returns an error for what keeps a team from being planned for again and
// again.
func checkSession(team Team, o Options) error {
	if _, err := ParseMethod(string(o.Method)); err != nil {
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
			return &TeamError{r.Name, fmt.Sprintf("the velocity at the goal is (%v, %v), want 0: between plans robots rest", r.GoalVelocity.X, r.GoalVelocity.Y)}
		}
		if !r.StartVelocity.IsFinite() {
			return &TeamError{r.Name, "the velocity at the start is not finite"}
		}
		if math.IsNaN(r.Acceleration) {
			return &TeamError{team.Robots[i].Name, "the acceleration is NaN, want a positive number, or 0 for no limit"}
		}
	}
	t := team.endingAtStarts()
	for i := range t.Robots {
		t.Robots[i].StartVelocity = geom.Vec2{} // nobody has to come back
	}
	return t.CheckRun(o)
}

// endingAtStarts returns a team whose goals are its starts.
func (t Team) endingAtStarts() Team {
	robots := make([]Robot, len(t.Robots))
	for i, r := range t.Robots {
		r.Goal = r.Start
		robots[i] = r
	}
	t.Robots = robots
	return t
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
func (s *Session) checkTraffic(traffic []Mover) error {
	want := s.team.Robots[0].Model.horizon()
	t := s.team
	t.Traffic = traffic
	if err := t.named().checkNames(); err != nil {
		_, names := t.bodyNames()
		return &UpdateError{"names of traffic", names, "want each its own: " + err.Error()}
	}
	for _, m := range traffic {
		if wrong := m.check(want); wrong != "" {
			return &UpdateError{"traffic", m.Name, wrong}
		}
		if !(m.Radius > 0) || math.IsInf(m.Radius, 0) {
			return &UpdateError{"radius of " + m.Name, m.Radius, "want a positive number"}
		}
	}
	return nil
}
