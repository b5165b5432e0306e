package separation

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Motion says how robots move along their waypoints. The zero value is straight from one
// to the next, all at the same time.
type Motion struct {
	// Curved is along the uniform cubic B-spline with natural ends: the first and the last
	// waypoint are where the robot begins and ends, at velocities Before and After, and
	// those between are control points, see [geom.NaturalSpline]. Limits of speed and
	// acceleration then hold at every instant.
	Curved bool
	// Step is the time from knot to knot, for the velocities of curves; 0 is 1.
	Step float64
	// PerUnit rounds the knots of curves, positions and velocities, to multiples of
	// 1/PerUnit: a power of ten makes decimals of them, which others read as the very numbers
	// that were judged. 0 is no rounding.
	PerUnit [2]float64
}

// step returns the time from knot to knot.
func (m Motion) step() float64 {
	if m.Step == 0 {
		return 1
	}
	return m.Step
}

func (m Motion) check() error {
	for _, v := range [3]float64{m.Step, m.PerUnit[0], m.PerUnit[1]} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return &WorldError{"motion", "step or rounding", v, "a finite number, at least 0"}
		}
	}
	return nil
}

// rounded returns a vector rounded to multiples of 1/perUnit: the float64 that is nearest
// to each, because the quotient of two whole numbers is rounded once.
func rounded(v geom.Vec2, perUnit float64) geom.Vec2 {
	if perUnit == 0 {
		return v
	}
	return geom.Vec2{X: math.Round(v.X*perUnit) / perUnit, Y: math.Round(v.Y*perUnit) / perUnit}
}

// Curves returns the motions of joint path k of x, in a world whose Motion is Curved: what
// is judged, and is to be delivered.
func (w *World) Curves(x []tensor.Batch, k int) []geom.Curve { return w.curves(w.read(x, k)) }

func (w *World) curves(p *paths) []geom.Curve {
	out := make([]geom.Curve, len(w.Robots))
	points := make([]geom.Vec2, p.waypoints)
	for i := range w.Robots {
		for h := range points {
			points[h] = p.at(i, h)
		}
		out[i] = w.curve(i, points)
	}
	return out
}

// curve returns the motion of a robot along its waypoints, which count from the origin.
func (w *World) curve(i int, points []geom.Vec2) geom.Curve {
	r, step := w.Robots[i], w.Motion.step()
	c := geom.NaturalSpline(points, step, r.Before.Scale(1/step), r.After.Scale(1/step))
	for h := range c.X {
		c.X[h], c.V[h] = rounded(c.X[h].Add(w.Origin), w.Motion.PerUnit[0]), rounded(c.V[h], w.Motion.PerUnit[1])
	}
	if r.Ends != nil {
		r.stands(c, points)
	}
	return c
}

// stands puts the ends of a curve, and the knots at which the robot stands there, where they are given.
func (r Robot) stands(c geom.Curve, points []geom.Vec2) {
	last := len(points) - 1
	c.X[0], c.X[last] = r.Ends[0], r.Ends[1]
	for h := 1; h < last && r.Before == (geom.Vec2{}) && points[h+1] == points[0] && points[h] == points[0]; h++ {
		c.X[h], c.V[h] = r.Ends[0], geom.Vec2{}
	}
	for h := last - 1; h > 0 && r.After == (geom.Vec2{}) && points[h-1] == points[last] && points[h] == points[last]; h-- {
		c.X[h], c.V[h] = r.Ends[1], geom.Vec2{}
	}
}

// CheckCurves returns an error unless there is a curve for every robot, all of them with
// equally many knots, two or more, at the same times, and finite.
func (w *World) CheckCurves(curves []geom.Curve) error {
	if len(curves) != len(w.Robots) {
		return &WorldError{"curves", "number", float64(len(curves)), fmt.Sprintf("%d, one per robot", len(w.Robots))}
	}
	for i, c := range curves {
		what := fmt.Sprintf("curve %d", i)
		if len(c.X) < 2 || len(c.X) != len(curves[0].X) || len(c.V) != len(c.X) {
			return &WorldError{what, "number of knots", float64(len(c.X)), "2 or more, as many as the others, with a velocity for each"}
		}
		if !(c.Step > 0) || math.IsInf(c.Step, 0) || c.Step != curves[0].Step {
			return &WorldError{what, "step", c.Step, "a positive number, that of the others"}
		}
		for h := range c.X {
			if !c.X[h].IsFinite() || !c.V[h].IsFinite() {
				return &WorldError{what, "knot", math.NaN(), "finite numbers"}
			}
		}
	}
	return w.Check(len(curves[0].X))
}
