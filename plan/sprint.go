package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// spare is the part of its limits that a sprint leaves to the rounding of knots.
const spare = 5e-4

// sprint returns the control points of a robot from rest to rest that goes along a curve as
// fast as its limits let it on a straight line, and stays at the end; nil where that takes
// longer than the clock of the team. Corners may ask for more acceleration than it has: a
// repair rounds them.
func (t Team) sprint(i int, c geom.Curve) []geom.Vec2 {
	return t.sprintAlong(i, chords(c), 1)
}

// sprintAlong is sprint along a line, in so many times the time.
func (t Team) sprintAlong(i int, line []geom.Vec2, slower float64) []geom.Vec2 {
	n := t.waypoints()
	speed, acceleration := t.limits(t.Robots[i])
	step, change := speed*t.Step*(1-spare)/slower, acceleration*t.Step*t.Step*(1-spare)/(slower*slower)
	way := geom.Length(line)
	if math.IsInf(step, 1) && math.IsInf(change, 1) || way == 0 {
		return nil
	}
	for steps := 2; steps < n; steps++ {
		inside := steps < n-1
		lengths, reach := profile(steps, step, change, inside)
		if reach < way {
			continue
		}
		out := spread(line, lengths, reach, inside)
		for len(out) < n {
			out = append(out, line[len(line)-1])
		}
		return out
	}
	return nil
}

// chords returns a curve as a polyline that is as long, nearly.
func chords(c geom.Curve) []geom.Vec2 {
	const parts = 8
	out := []geom.Vec2{c.X[0]}
	for h := range c.Spans() {
		b := c.Span(h)
		for k := 1; k <= parts; k++ {
			out = append(out, b.At(float64(k)/parts))
		}
	}
	return out
}

// alongLine returns the point of a polyline at a distance along it.
func alongLine(line []geom.Vec2, at float64) geom.Vec2 {
	for k := 1; k < len(line); k++ {
		d := line[k].Dist(line[k-1])
		if at <= d && d > 0 {
			return line[k-1].Lerp(line[k], at/d)
		}
		at -= d
	}
	return line[len(line)-1]
}

// hurried returns the control points of a curve that does the same up to its arrival in a part
// of the time, and stays at its end.
func hurried(c geom.Curve, arrival, part float64) []geom.Vec2 {
	n := len(c.X)
	out := make([]geom.Vec2, n)
	for h := range out {
		out[h] = c.X[n-1]
		if at := float64(h) / part; at < arrival {
			out[h], _, _ = c.At(at * c.Step)
		}
	}
	return out
}

// arrivalOf returns the time, counted in knots, from which a curve stays at its end, to a
// thousandth of a radius; 0 for one that never leaves it.
func arrivalOf(c geom.Curve, radius float64) float64 {
	last := len(c.X) - 1
	h := last
	for h > 0 && c.X[h-1].Dist(c.X[last]) <= 1e-3*radius {
		h--
	}
	return float64(h)
}

// withWay returns joint control points in which robot i has others, given in units of the
// task.
func (t Team) withWay(x []tensor.Batch, i int, points []geom.Vec2) []tensor.Batch {
	origin := t.Origin()
	out := append([]tensor.Batch(nil), x...)
	out[i] = x[i].Clone()
	for h := 1; h < len(points)-1; h++ {
		out[i].Data[h*channels], out[i].Data[h*channels+1] = float32(points[h].X-origin.X), float32(points[h].Y-origin.Y)
	}
	return out
}

// directly returns the control points of a robot from rest to rest on the straight line to its
// goal, with which it uses all of the time and as little of its limits as that takes; nil where it
// does not get there.
func (t Team) directly(i int) []geom.Vec2 {
	r, n := t.Robots[i], t.waypoints()
	speed, acceleration := t.limits(r)
	lengths, reach := profile(n-1, speed*t.Step, acceleration*t.Step*t.Step, false)
	start, goal := t.frame().FromMap(r.Start), t.frame().FromMap(r.Goal)
	if way := start.Dist(goal); reach < way || math.IsInf(reach, 1) {
		return nil
	}
	out, at := []geom.Vec2{start}, 0.0
	for h, d := range lengths[:n-2] {
		at += d * share(h, n-1, false) / reach
		out = append(out, start.Lerp(goal, at))
	}
	return append(out, goal)
}
