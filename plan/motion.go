package plan

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Motion is how robots move along their waypoints.
type Motion string

// The motions.
const (
	Polyline Motion = "polyline" // straight from waypoint to waypoint, the speed jumps there
	Curve    Motion = "curve"    // a smooth curve of which the waypoints are the control points
)

// Motions lists the motions, the default first.
func Motions() []Motion { return []Motion{Curve, Polyline} }

// ParseMotion returns a motion by its name; "" is that of [Options.DefaultMotion].
func ParseMotion(name string) (Motion, error) {
	if name == "" {
		return "", nil
	}
	for _, m := range Motions() {
		if name == string(m) {
			return m, nil
		}
	}
	return "", fmt.Errorf("plan: unknown motion %q, want curve or polyline", name)
}

// DefaultMotion returns the motion of teams that do not say: [Curve], and [Polyline] where
// the published way of planning goes straight, which is by methods that search, and by settings
// that let goals go or keep samples apart while they are drawn.
func (o Options) DefaultMotion() Motion {
	s := o.Settings
	if s == (Settings{}) {
		s = presets()[0]
	}
	if o.Method.Searches() || !s.PinGoal || !s.Velocities || s.SeparationSteps > 0 {
		return Polyline
	}
	return Curve
}

// curved reports whether robots move along curves.
func (t Team) curved() bool { return t.Motion != Polyline }

// checkCurves returns an error for what does not go with curves.
func (t Team) checkCurves(s Settings) error {
	_, err := ParseMotion(string(t.Motion))
	switch {
	case err != nil:
		return &TeamError{Reason: fmt.Sprintf("motion %q, want curve or polyline", t.Motion)}
	case !t.curved() && t.Lateness > 0:
		return &TeamError{Reason: fmt.Sprintf("a lateness of %v s with motion polyline, want curve", t.Lateness)}
	case !t.curved():
		for _, r := range t.Robots {
			if r.TurnRate > 0 || r.TurningRadius > 0 || r.StartHeading != nil || r.GoalHeading != nil {
				return &TeamError{r.Name, "motion polyline with a limit of turning or a heading, want curve: polylines turn at once"}
			}
		}
		return nil
	case !s.PinGoal || !s.Velocities:
		return &TeamError{Reason: fmt.Sprintf("motion curve with settings %q, want held goals and velocities, as in the preset default", s.Name)}
	case s.SeparationSteps > 0:
		return &TeamError{Reason: fmt.Sprintf("motion curve with %d steps of separation, want 0: samples are kept apart on straight ways only", s.SeparationSteps)}
	}
	return nil
}

// spent is the part of a step that a curve from rest to rest takes longer than a polyline at
// its highest speed.
const spent = 2.0 / 3

// steps returns how many steps of the highest speed a robot can go.
func (t Team) steps(r Robot) float64 {
	n := float64(t.waypoints() - 1)
	if t.curved() && r.StartVelocity == (geom.Vec2{}) && r.GoalVelocity == (geom.Vec2{}) {
		n -= spent
	}
	return n
}

// bend makes a world one of curves: they begin and end where the scene says, as decimals,
// and their knots are rounded to decimals that are fine beside every size and limit.
func (t Team) bend(w *separation.World) {
	q := math.Inf(1)
	for _, r := range w.Robots {
		unit := min(r.Unit[0], r.Unit[1])
		q = min(q, 1e-6*r.Radius)
		if r.TurningRadius > 0 { // which tells how a robot turns that hardly moves yet
			q = min(q, 1e-8*r.Radius)
		}
		if r.Step > 0 {
			q = min(q, 1e-4*r.Step*unit)
		}
		if r.Change > 0 {
			q = min(q, 1e-4*r.Change*unit/6)
		}
	}
	extent := max(math.Abs(w.Border.Min.X), math.Abs(w.Border.Min.Y), math.Abs(w.Border.Max.X), math.Abs(w.Border.Max.Y))
	q = max(q, 0x1p-51*extent) // what float64 has digits for
	base, log := 10.0, math.Log10
	if t.binary {
		base, log = 2, math.Log2
	}
	digits := math.Ceil(-log(q))
	perUnit := math.Pow(base, digits)
	w.Motion = separation.Motion{Curved: true, Step: t.Step, PerUnit: [2]float64{perUnit, math.Pow(base, math.Ceil(digits+log(t.Step)))}}
	for i := range w.Robots {
		r, b := t.Robots[i], &w.Robots[i]
		b.Ends = &[2]geom.Vec2{rounded(t.frame().FromMap(r.Start), perUnit), rounded(t.frame().FromMap(r.Goal), perUnit)}
		b.Inset = b.Radius // and no less where float32 has its ends nearer to the border, which are not those of a curve
		for _, at := range b.Ends {
			room, _ := gaps.Inner(*w.Border, geom.Segment{A: at, B: at}, 0)
			// Points of hulls between knots are rounded: who begins at the border keeps it up to that.
			b.Inset = max(0, min(b.Inset, room-0x1p-44*extent))
		}
	}
}

// rounded rounds a place to multiples of 1/perUnit.
func rounded(p geom.Vec2, perUnit float64) geom.Vec2 {
	return geom.Vec2{X: math.Round(p.X*perUnit) / perUnit, Y: math.Round(p.Y*perUnit) / perUnit}
}

// states returns the positions and velocities at the knots of curves, in place of those of
// the waypoints, counted from an origin.
func states(x []tensor.Batch, curves []geom.Curve, origin geom.Vec2) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, c := range curves {
		out[i] = tensor.New(1, x[i].Shape...)
		for h := range c.X {
			x, v := c.X[h].Sub(origin), c.V[h]
			copy(out[i].Data[h*channels:], []float32{float32(x.X), float32(x.Y), float32(v.X), float32(v.Y)})
		}
	}
	return out
}
