package session

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// way is the motion of a robot on a plan, in the units of the task and on the clock of the
// plan. It rests at its end from then on.
type way struct {
	curve  *geom.Curve // nil for straight ways
	points []geom.Vec2
	step   float64
	before geom.Vec2 // velocity with which a straight way begins
}

// At returns where a robot is so many seconds after the plan took over, and how fast, in the units
// of the task: on its way or, after it, at rest at its end.
func (p *Plan) At(robot int, seconds float64) State {
	x, v := wayOf(p, robot).at(p.From + max(seconds, 0))
	return State{x, v}
}

// wayOf returns the motion of robot i on a plan.
func wayOf(p *Plan, i int) way {
	if p.Curves != nil {
		return way{curve: &p.Curves[i], step: p.Curves[i].Step}
	}
	points, _ := p.Team.States(p.Plan, i)
	return way{points: points, step: p.Team.Step, before: p.Team.Robots[i].StartVelocity.Scale(p.Team.LengthUnit())}
}

// last returns the number of the last waypoint.
func (w way) last() int {
	if w.curve != nil {
		return w.curve.Spans()
	}
	return len(w.points) - 1
}

// end returns where it ends.
func (w way) end() geom.Vec2 {
	x, _ := w.at(float64(w.last()) * w.step)
	return x
}

// at returns where the robot is at a time and how fast: at a waypoint of a straight way as
// fast as it came.
func (w way) at(t float64) (x, v geom.Vec2) {
	if w.curve != nil {
		x, v, _ = w.curve.At(t)
		if h, whole := wholeSteps(t, w.step); whole && h <= w.last() {
			x, v = w.curve.X[h], w.curve.V[h]
		}
		return x, v
	}
	h, whole := wholeSteps(t, w.step)
	switch last := w.last(); {
	case h >= last && !(whole && h == last):
		return w.points[last], geom.Vec2{}
	case whole && h == 0:
		return w.points[0], w.before
	case whole:
		return w.points[h], w.points[h].Sub(w.points[h-1]).Scale(1 / w.step)
	}
	p, q := w.points[h], w.points[h+1]
	return p.Lerp(q, t/w.step-float64(h)), q.Sub(p).Scale(1 / w.step)
}

// wholeSteps returns the number of whole steps in a time, and whether it is just that many.
func wholeSteps(t, step float64) (n int, whole bool) {
	const nearly = 1e-9 // of a step: sums of times are rounded
	if near := math.Round(t / step); math.Abs(t/step-near) < nearly*(1+math.Abs(near)) {
		return int(near), true
	}
	return int(math.Floor(t / step)), false
}

// later returns traffic after some seconds, which may be negative: then it rested before.
func later(m plan.Mover, seconds, step float64) plan.Mover {
	if n, whole := wholeSteps(seconds, step); whole && n >= 0 {
		return m.Later(n, step)
	}
	times := make([]float64, len(m.Path))
	for k := range times {
		times[k] = float64(k)*step - seconds
		if m.Times != nil {
			times[k] = m.Times[k] - seconds
		}
	}
	m.Times = times
	return m
}
