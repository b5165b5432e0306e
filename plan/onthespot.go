package plan

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// A differential drive turns where it stands: it stands at its start until it looks along its way, and
// is at its goal early enough to turn there.

// onTheSpot reports whether a robot has headings to keep, and may turn at its ends to keep them.
func (r Robot) onTheSpot() bool {
	return r.TurnRate > 0 && r.TurningRadius == 0 && r.rests() && (r.StartHeading != nil || r.GoalHeading != nil)
}

// spotReserve is what a robot may turn more at an end than the way that it is given asks for, in
// radians: repairs move ways.
const spotReserve = 0.5

// spotRung lets robots stand at their ends as long as they turn there: along the ways that were drawn, or
// those that they have.
func spotRung(ctx context.Context, a *attempt) (changed bool, err error) {
	v, t := a.outcome.Verdict, a.team
	if !t.curved() || v[separation.Turning].Value >= 0 && v[separation.Heading].Value >= 0 || !slices.ContainsFunc(t.Robots, Robot.onTheSpot) {
		return false, nil
	}
	froms := [][]tensor.Batch{a.model}
	if a.rounds > 0 {
		froms = append(froms, a.at)
	}
	for _, from := range froms {
		curves, again := a.world.Curves(from, 0), false
		for i, r := range t.Robots {
			if !r.onTheSpot() || t.stays(r) {
				continue
			}
			if points := t.turningAtEnds(r, profile.Chords(curves[i])); points != nil {
				from, again, a.rerouted[i] = t.withWay(from, i, points), true, true
			}
		}
		if !again {
			continue
		}
		changed = true
		if err := a.repair(ctx, from); err != nil || a.safe() {
			return true, err
		}
	}
	return changed, nil
}

// turningAtEnds returns control points of a robot on a line between places where it stands while it turns;
// nil where there is not time enough.
func (t Team) turningAtEnds(r Robot, line []geom.Vec2) []geom.Vec2 {
	n, last := t.waypoints(), len(line)-1
	first, end := t.standingAt(r, line)
	steps := n - 1 - first - end
	if steps < 4 {
		return nil
	}
	speed, acceleration := t.limits(r)
	p := profile.Fastest(steps, speed*t.Step, acceleration*t.Step*t.Step, true)
	if math.IsInf(p.Reach, 1) {
		p = profile.Even(steps, true)
	} else if p.Reach < geom.Length(line) {
		return nil
	}
	out := append(slices.Repeat([]geom.Vec2{line[0]}, first), p.Spread(line)...)
	return append(out, slices.Repeat([]geom.Vec2{line[last]}, end+1)...)
}

// standingAt returns at how many waypoints a robot stands after the start and before the end of a line to turn
// there from and to its headings.
func (t Team) standingAt(r Robot, line []geom.Vec2) (first, end int) {
	if !r.onTheSpot() {
		return 0, 0
	}
	last, away := len(line)-1, t.RadiusOf(r)
	back := slices.Clone(line)
	slices.Reverse(back)
	return t.standing(r, r.StartHeading, beyond(line, away).Sub(line[0])), t.standing(r, r.GoalHeading, line[last].Sub(beyond(back, away)))
}

// standing returns at how many waypoints beside an end a robot stands to turn there from a heading to a
// direction, or back; 0 where that is not worth it.
func (t Team) standing(r Robot, heading *float64, way geom.Vec2) int {
	if seconds := r.spotTime(heading, way); seconds > 0 {
		return 1 + int(math.Ceil(seconds/t.Step))
	}
	return 0
}

// spotTime returns how long a robot stands to turn from a heading to a direction, or back, in seconds.
func (r Robot) spotTime(heading *float64, way geom.Vec2) float64 {
	if heading == nil {
		return 0
	}
	sin, cos := math.Sincos(*heading)
	h := geom.Vec2{X: cos, Y: sin}
	angle := math.Abs(math.Atan2(h.Cross(way), h.Dot(way)))
	if angle < spotReserve/2 {
		return 0 // a repair bends its way
	}
	return (angle + spotReserve) / r.TurnRate
}

// beyond returns the first point of a line that is so far from its start, or its end.
func beyond(line []geom.Vec2, away float64) geom.Vec2 {
	for _, p := range line {
		if p.Dist(line[0]) >= away {
			return p
		}
	}
	return line[len(line)-1]
}

// holding returns a world in which robots whose turning is limited stand at their ends as long as they do
// on a joint trajectory: moved by a hair, they would leave in any direction.
func (t Team) holding(w *separation.World, x []tensor.Batch) *separation.World {
	if !t.curved() || !slices.ContainsFunc(t.Robots, Robot.turns) {
		return w
	}
	held := *w
	held.Robots = slices.Clone(w.Robots)
	for i, r := range t.Robots {
		if !r.turns() || !r.rests() || t.stays(r) {
			continue
		}
		way := geom.Points(nil, x[i].Data, channels)
		back := slices.Clone(way)
		slices.Reverse(back)
		held.Robots[i].Held = [2]int{stood(way), stood(back)}
	}
	return &held
}

// stood returns the number of waypoints after the first one, two or more, that are there, too; 0 for fewer.
func stood(way []geom.Vec2) int {
	n := 0
	for n+1 < len(way) && way[n+1] == way[0] {
		n++
	}
	if n < 2 || n == len(way)-1 {
		return 0
	}
	return n
}
