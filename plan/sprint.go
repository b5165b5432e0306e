package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/tensor"
)

// sprint returns the control points of a robot from rest to rest that goes along a curve as
// fast as its limits let it on a straight line, and stays at the end; nil where that takes
// longer than the clock of the team. Corners may ask for more acceleration than it has: a
// repair rounds them.
func (t Team) sprint(i int, c geom.Curve) []geom.Vec2 {
	return t.sprintAlong(i, profile.Chords(c), 1)
}

// sprintAlong is sprint along a line, in so many times the time.
func (t Team) sprintAlong(i int, line []geom.Vec2, slower float64) []geom.Vec2 {
	n := t.waypoints()
	speed, acceleration := t.limits(t.Robots[i])
	step, change := speed*t.Step*(1-profile.Spare)/slower, acceleration*t.Step*t.Step*(1-profile.Spare)/(slower*slower)
	way := geom.Length(line)
	if math.IsInf(step, 1) && math.IsInf(change, 1) || way == 0 {
		return nil
	}
	for steps := 2; steps < n; steps++ {
		p := profile.Fastest(steps, step, change, steps < n-1)
		if p.Reach < way {
			continue
		}
		out := p.Spread(line)
		for len(out) < n {
			out = append(out, line[len(line)-1])
		}
		return out
	}
	return nil
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
	p := profile.Fastest(n-1, speed*t.Step, acceleration*t.Step*t.Step, false)
	start, goal := t.frame().FromMap(r.Start), t.frame().FromMap(r.Goal)
	if p.Reach < start.Dist(goal) || math.IsInf(p.Reach, 1) {
		return nil
	}
	return p.Straight(start, goal)
}
