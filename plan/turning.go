package plan

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// turns reports whether the turning of a robot is limited, or a heading given.
func (r Robot) turns() bool {
	return r.TurnRate > 0 || r.TurningRadius > 0 || r.StartHeading != nil || r.GoalHeading != nil
}

// wider is by how much the arcs of a first guess are wider than the limits ask for: curves
// cut corners.
var wider = []float64{1.25, 1.6}

// turnRung gives robots that turn too fast, too tightly or from a wrong heading ways of arcs.
func turnRung(ctx context.Context, a *attempt) (changed bool, err error) {
	v, t := a.outcome.Verdict, a.team
	if !t.curved() || v[separation.Turning].Value >= 0 && v[separation.Curvature].Value >= 0 && v[separation.Heading].Value >= 0 {
		return false, nil
	}
	curves := a.world.Curves(a.model, 0)
	for _, factor := range wider {
		from := a.model
		for i, r := range t.Robots {
			if !r.turns() || !r.rests() || t.stays(r) {
				continue
			}
			if points := t.turningWay(i, curves[i], factor); points != nil {
				from, changed, a.rerouted[i] = t.withWay(from, i, points), true, true
			}
		}
		if !changed {
			return false, nil
		}
		if err := a.repair(ctx, from); err != nil || a.safe() {
			return true, err
		}
	}
	return changed, nil
}

// turningWay returns control points of a robot that turns: on the spot along a curve, or on arcs.
func (t Team) turningWay(i int, c geom.Curve, factor float64) []geom.Vec2 {
	if r := t.Robots[i]; r.onTheSpot() {
		if points := t.turningAtEnds(r, chords(c)); points != nil {
			return points
		}
	}
	return t.vehicleWay(i, factor)
}

// vehicleWay returns control points on a way of arcs, that take the whole time; nil where there is
// not time enough.
func (t Team) vehicleWay(i int, factor float64) []geom.Vec2 {
	r, n := t.Robots[i], t.waypoints()
	start, goal := t.frame().FromMap(r.Start), t.frame().FromMap(r.Goal)
	speed, acceleration := t.limits(r)
	radius := factor * r.TurningRadius * t.LengthUnit()
	if r.TurnRate > 0 {
		pace := min(speed, 1.5*start.Dist(goal)/(t.Step*float64(n-1)))
		radius = max(radius, min(factor*pace/r.TurnRate, start.Dist(goal)/4))
	}
	if radius == 0 {
		radius = start.Dist(goal) / 4
	}
	// From rest a way is straight at first: its curvature would have no bound.
	prefix := 0.2 * radius
	from, to := start, goal
	if h := r.StartHeading; h != nil {
		sin, cos := math.Sincos(*h)
		from = from.Add(geom.Vec2{X: cos, Y: sin}.Scale(prefix))
	}
	if h := r.GoalHeading; h != nil {
		sin, cos := math.Sincos(*h)
		to = to.Sub(geom.Vec2{X: cos, Y: sin}.Scale(prefix))
	}
	line := dubins(from, to, [2]*float64{r.StartHeading, r.GoalHeading}, radius)
	if line == nil {
		return nil
	}
	line = append(append([]geom.Vec2{start}, line...), goal)
	way := geom.Length(line)
	top := speed
	if r.TurnRate > 0 {
		top = min(top, 0.85*r.TurnRate*radius)
	}
	top = min(top, math.Sqrt(0.85*acceleration*radius))
	lengths, reach := profile(n-1, top*t.Step, acceleration*t.Step*t.Step, false)
	if math.IsInf(reach, 1) {
		lengths, reach = profile(n-1, 1, math.Inf(1), false)
	} else if reach < way {
		return nil
	}
	out, at := []geom.Vec2{start}, 0.0
	for h, d := range lengths[:n-2] {
		at += d * share(h, n-1, false) * way / reach
		out = append(out, alongLine(line, at))
	}
	return append(out, goal)
}
