package separation

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// World is a team and what it moves among.
type World struct {
	Robots    []Robot
	Obstacles []geom.Convex
	Traffic   []Mover
	Border    *geom.Box // of the workspace; nil is none
	Motion    Motion    // along the waypoints
	// Margin is the distance that robots keep from each other, from traffic and from
	// obstacles.
	Margin float64
	// Lateness is how much later than at its time, counted in waypoints, each body may be
	// anywhere on its curve: two keep apart wherever their times differ by no more. 0 is on
	// time, and so are robots that go straight.
	Lateness float64
	// Brief says that a repair gives up soon, for those who ask again if it does: it tries one
	// manner of giving way only.
	Brief bool
	// Origin is where the waypoints of robots count from: float32 has digits for them near it
	// alone. All else is as others see it, and so is what is judged: waypoint and Origin
	// added in float64, as they are written, and curves.
	Origin geom.Vec2
}

// Robot is a disk with limits of its motion. Limits hold for differences of
// waypoints divided by Unit, coordinate by coordinate.
type Robot struct {
	Radius float64
	Step   float64    // longest step between waypoints; 0 is no limit
	Change float64    // longest change from one step to the next; 0 is no limit
	Unit   [2]float64 // of Step and Change; 0 is 1
	// Before and After are the steps that led to the first waypoint and that follow
	// the last one; zero is rest. They count where Change is limited. A curve begins and
	// ends at velocities of one of them per span, whatever is limited.
	Before, After geom.Vec2
	// Ends are where a curve begins and ends; nil is at the first and the last waypoint,
	// which are float32 numbers.
	Ends *[2]geom.Vec2
	// TurnRate is the highest rate at which the heading of a curve changes, in radians from
	// waypoint to waypoint, and TurningRadius the smallest radius that its way bends with; 0 is
	// no limit. Headings are the unit vectors along which it leaves its start and comes to its
	// end; nil is any.
	TurnRate, TurningRadius float64
	Headings                [2]*geom.Vec2
	// Held is the number of waypoints after the first one, and before the last one, that a repair
	// leaves where they are: of one that stands at an end for some time.
	Held [2]int
	// Inset is the distance that the centre keeps from the border.
	Inset float64
}

// Mover is a disk on a given path, straight from point to point or, with Steps, on a curve
// through them.
type Mover struct {
	Radius float64
	Path   []geom.Vec2
	// Times are those of the points of Path, counted in waypoints: every waypoint is among
	// them, and between them whatever else the mover turns at. They may go on up to a whole number
	// after the last waypoint: robots rest at their ends then. Nil is one point per waypoint.
	Times []float64
	// Steps are its velocities at the points, per waypoint, among robots on curves: it is on
	// the cubics that they make of the points. Nil is straight.
	Steps []geom.Vec2
}

// WorldError says what is wrong with a world.
type WorldError struct {
	What  string // for instance "robot 3"
	Name  string // of the value
	Value float64
	Want  string
}

func (e *WorldError) Error() string {
	return fmt.Sprintf("separation: %s: %s is %v, want %s", e.What, e.Name, e.Value, e.Want)
}

// Check returns a [WorldError] for the first value that makes no sense.
func (w *World) Check(waypoints int) error {
	if len(w.Robots) == 0 {
		return &WorldError{What: "world", Name: "number of robots", Want: "at least 1"}
	}
	if !(w.Margin >= 0) || math.IsInf(w.Margin, 0) {
		return &WorldError{"world", "margin", w.Margin, "a finite number, at least 0"}
	}
	if !(w.Lateness >= 0) || math.IsInf(w.Lateness, 0) || w.Lateness > 0 && !w.Motion.Curved {
		return &WorldError{"world", "lateness", w.Lateness, "a finite number, at least 0, and 0 where robots go straight"}
	}
	if !w.Origin.IsFinite() {
		return &WorldError{"world", "origin", math.NaN(), "finite numbers"}
	}
	if err := w.Motion.check(); err != nil {
		return err
	}
	for i, r := range w.Robots {
		if err := r.check(fmt.Sprintf("robot %d", i)); err != nil {
			return err
		}
	}
	for i, m := range w.Traffic {
		if err := m.check(fmt.Sprintf("mover %d", i), waypoints); err != nil {
			return err
		}
		if m.Steps != nil && !w.Motion.Curved {
			return &WorldError{fmt.Sprintf("mover %d", i), "number of steps", float64(len(m.Steps)), "none, where robots move straight"}
		}
	}
	for i, c := range w.Obstacles {
		if err := checkConvex(fmt.Sprintf("obstacle %d", i), c); err != nil {
			return err
		}
	}
	return nil
}

func (r Robot) check(what string) error {
	for _, v := range []struct {
		name  string
		value float64
		ok    bool
	}{
		{"radius", r.Radius, r.Radius > 0}, {"step", r.Step, r.Step >= 0}, {"change", r.Change, r.Change >= 0},
		{"unit of x", r.Unit[0], r.Unit[0] >= 0}, {"unit of y", r.Unit[1], r.Unit[1] >= 0},
		{"inset", r.Inset, r.Inset >= 0}, {"turn rate", r.TurnRate, r.TurnRate >= 0}, {"turning radius", r.TurningRadius, r.TurningRadius >= 0},
	} {
		if !v.ok || math.IsInf(v.value, 0) {
			return &WorldError{what, v.name, v.value, "a finite number that is not negative, and a positive radius"}
		}
	}
	if r.Held[0] < 0 || r.Held[1] < 0 {
		return &WorldError{what, "number of held waypoints", float64(min(r.Held[0], r.Held[1])), "0 or more"}
	}
	if !r.Before.IsFinite() || !r.After.IsFinite() {
		return &WorldError{what, "step at an end", math.NaN(), "finite numbers"}
	}
	if r.Ends != nil && !(r.Ends[0].IsFinite() && r.Ends[1].IsFinite()) {
		return &WorldError{what, "end", math.NaN(), "finite numbers"}
	}
	return nil
}

func (m Mover) check(what string, waypoints int) error {
	if !(m.Radius > 0) || math.IsInf(m.Radius, 0) {
		return &WorldError{what, "radius", m.Radius, "a positive number"}
	}
	if m.Times == nil && len(m.Path) != waypoints {
		return &WorldError{what, "number of waypoints", float64(len(m.Path)), fmt.Sprintf("%d, as the robots have", waypoints)}
	}
	if m.Times != nil {
		if err := m.checkTimes(what, waypoints); err != nil {
			return err
		}
	}
	if m.Steps != nil && len(m.Steps) != len(m.Path) {
		return &WorldError{what, "number of steps", float64(len(m.Steps)), fmt.Sprintf("%d, as it has points", len(m.Path))}
	}
	for _, p := range append(m.Path[:len(m.Path):len(m.Path)], m.Steps...) {
		if !p.IsFinite() {
			return &WorldError{what, "waypoint", math.NaN(), "finite numbers"}
		}
	}
	return nil
}

// checkTimes returns an error unless there is a time for every point, in order, and all
// waypoints are among them.
func (m Mover) checkTimes(what string, waypoints int) error {
	if len(m.Times) != len(m.Path) {
		return &WorldError{what, "number of times", float64(len(m.Times)), fmt.Sprintf("%d, as it has points", len(m.Path))}
	}
	whole := 0
	for k, t := range m.Times {
		if !(t >= 0) || k > 0 && !(t > m.Times[k-1]) || t > math.MaxInt32 {
			return &WorldError{what, "time", t, fmt.Sprintf("waypoints from 0 to %d or a whole number beyond, in order", waypoints-1)}
		}
		if t == math.Trunc(t) {
			whole++
		}
	}
	if end := m.Times[len(m.Times)-1]; whole < waypoints || end != float64(whole-1) {
		return &WorldError{what, "number of waypoints among its times", float64(whole), fmt.Sprintf("all %d, and whole numbers up to the last time", waypoints)}
	}
	return nil
}

func checkConvex(what string, c geom.Convex) error {
	if !(c.Radius >= 0) || math.IsInf(c.Radius, 0) {
		return &WorldError{what, "radius", c.Radius, "a finite number, at least 0"}
	}
	if len(c.Core) == 0 || len(c.Core) > 2 && !c.Core.IsConvex() {
		return &WorldError{what, "number of vertices", float64(len(c.Core)), "a point, a segment or a convex polygon that runs counter-clockwise"}
	}
	for _, v := range c.Core {
		if !v.IsFinite() {
			return &WorldError{what, "vertex", math.NaN(), "finite numbers"}
		}
	}
	return nil
}

// unit returns the unit of a coordinate.
func (r Robot) unit(c int) float64 {
	if r.Unit[c] == 0 {
		return 1
	}
	return r.Unit[c]
}

// radius returns that of robot i, or of traffic, which counts on from the robots.
func (w *World) radius(i int) float64 {
	if i < len(w.Robots) {
		return w.Robots[i].Radius
	}
	return w.Traffic[i-len(w.Robots)].Radius
}
