package turns

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// A differential drive turns where it stands: it stands at its start until it looks along its way, and
// is at its goal early enough to turn there.

// Reserve is what a robot may turn more at an end than the way that it is given asks for, in
// radians: repairs move ways.
const Reserve = 0.5

// AtEnds returns control points of a robot on a line between places where it stands while it turns;
// nil where there is not time enough.
func (t Team) AtEnds(i int, line []geom.Vec2) []geom.Vec2 {
	r, n, last := t.Robots[i], t.Waypoints, len(line)-1
	first, end := t.standingAt(r, line)
	steps := n - 1 - first - end
	if steps < 4 {
		return nil
	}
	p := profile.Fastest(steps, r.Speed*t.Step, r.Acceleration*t.Step*t.Step, true)
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
	if !r.OnSpot {
		return 0, 0
	}
	last, away := len(line)-1, r.Size
	back := slices.Clone(line)
	slices.Reverse(back)
	return t.standing(r, r.Headings[0], beyond(line, away).Sub(line[0])), t.standing(r, r.Headings[1], line[last].Sub(beyond(back, away)))
}

// standing returns at how many waypoints beside an end a robot stands to turn there from a heading to a
// direction, or back; 0 where that is not worth it.
func (t Team) standing(r Robot, heading *float64, way geom.Vec2) int {
	if seconds := SpotTime(r.TurnRate, heading, way); seconds > 0 {
		return 1 + int(math.Ceil(seconds/t.Step))
	}
	return 0
}

// SpotTime returns how long a robot with a turn rate stands to turn from a heading to a direction, or back, in seconds.
func SpotTime(rate float64, heading *float64, way geom.Vec2) float64 {
	if heading == nil {
		return 0
	}
	h := towards(*heading, 1)
	angle := math.Abs(math.Atan2(h.Cross(way), h.Dot(way)))
	if angle < Reserve/2 {
		return 0 // a repair bends its way
	}
	return (angle + Reserve) / rate
}

// beyond returns the first other point of a line that is so far from its start, or its end.
func beyond(line []geom.Vec2, away float64) geom.Vec2 {
	for _, p := range line {
		if d := p.Dist(line[0]); d > 0 && d >= away {
			return p
		}
	}
	return line[len(line)-1]
}
