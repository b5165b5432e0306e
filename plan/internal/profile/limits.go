package profile

import (
	"cmp"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// Spare is the part of its limits that a fast motion leaves to the rounding of knots.
const Spare = 5e-4

// Used returns by which factor curves of the robots of a world can be driven faster within their limits of speed,
// acceleration and turning.
func Used(w *separation.World, curves []geom.Curve) (f float64) {
	for i, c := range curves {
		for h := range c.Spans() {
			f = max(f, UsedOn(w.Robots[i], c, h))
		}
	}
	return f
}

// UsedOn is [Used] on a span of one curve.
func UsedOn(r separation.Robot, c geom.Curve, h int) (f float64) {
	b := c.Span(h)
	for k := range 3 {
		if r.Step > 0 {
			f = max(f, 3*Measure(r, b[k+1].Sub(b[k]))/r.Step)
		}
		if v := b.Velocity(float64(k) / 2); r.TurnRate > 0 && v != (geom.Vec2{}) {
			f = max(f, 1.05*math.Abs(v.Cross(b.Acceleration(float64(k)/2)))/v.Dot(v)/r.TurnRate)
		}
		if r.Change > 0 && k < 2 {
			f = max(f, math.Sqrt(Measure(r, b.Acceleration(float64(k)))/r.Change))
		}
	}
	return f
}

// Hardest returns the largest acceleration on a curve, in the units of a robot's limits.
func Hardest(r separation.Robot, c geom.Curve) (most float64) {
	for h := range c.Spans() {
		for t := range 2 { // accelerations are linear over a span
			most = max(most, Measure(r, c.Span(h).Acceleration(float64(t))))
		}
	}
	return most
}

// Measure returns the length of a step, or of a change of steps, in the units of a robot's limits.
func Measure(r separation.Robot, v geom.Vec2) float64 {
	return math.Hypot(v.X/cmp.Or(r.Unit[0], 1), v.Y/cmp.Or(r.Unit[1], 1))
}
