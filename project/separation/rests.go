package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
)

// Robots at rest: a differential drive turns where it stands, others leave in the direction in
// which they came.

// restsAt counts the spans at an end of a curve on which a robot stands.
func restsAt(c geom.Curve, atEnd bool) (count int) {
	n := c.Spans()
	for count < n {
		h := count
		if atEnd {
			h = n - 1 - count
		}
		if !heading.Stands(displacement(c, h)) {
			return count
		}
		count++
	}
	return count
}

// turnedLess returns the angle between two directions, less what a robot can turn while it stands on
// some spans; 0 or more.
func (r Robot) turnedLess(from, to geom.Vec2, spans int) float64 {
	angle := math.Abs(math.Atan2(from.Cross(to), from.Dot(to)))
	if r.onTheSpot() {
		angle = max(0, angle-r.TurnRate*float64(spans))
	}
	return angle
}

// judgeRests measures whether a robot that stops between its ends goes on in the direction in which it
// came, or has turned as long as it stood; and that it does not go back on a span.
func (w *World) judgeRests(v *Verdict, i int, c geom.Curve) {
	r := w.Robots[i]
	kind, unit := Turning, 1.0
	if r.TurnRate == 0 {
		kind = Curvature
	}
	if kind == Curvature && r.TurningRadius > 0 {
		unit = 1 / r.TurningRadius // who turns by an angle at once does so within a radius
	}
	var came geom.Vec2
	stood := 0
	for h := range c.Spans() {
		b := displacement(c, h)
		if heading.Stands(b) {
			stood++
			continue
		}
		leaves := direction(b[0], b[1], b[2], b[3])
		if came != (geom.Vec2{}) && b[0] == b[1] {
			if e := r.turnedLess(came, leaves, stood) - headingRoom; e > 0 {
				v.offer(kind, Margin{Value: -e * unit, Robot: i, Other: -1, Segment: h, reach: r.Radius / unit})
			}
		}
		if goesBack(b) {
			v.offer(kind, Margin{Value: -math.Pi * unit, Robot: i, Other: -1, Segment: h, reach: r.Radius / unit})
		}
		came, stood = direction(b[3], b[2], b[1], b[0]).Scale(-1), 0
	}
}

// direction returns where a cubic leaves its first point to.
func direction(from geom.Vec2, points ...geom.Vec2) geom.Vec2 {
	for _, p := range points {
		if p != from {
			return p.Sub(from)
		}
	}
	return geom.Vec2{}
}

// goesBack reports whether the velocity turns round on a span, between two of the instants that are
// looked at.
func goesBack(b geom.Bezier) bool {
	var before geom.Vec2
	for k := range lookedAt + 1 {
		v := b.Velocity(float64(k) / lookedAt)
		if v != (geom.Vec2{}) && v.Dot(before) < 0 && math.Abs(v.Cross(before)) < -1e-3*v.Dot(before) {
			return true
		}
		if v != (geom.Vec2{}) {
			before = v
		}
	}
	return false
}
