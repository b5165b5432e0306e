package turns

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/internal/steer"
)

// A vehicle cannot turn more tightly than it steers: it is given the shortest way round
// obstacles, kept so far from them that corners can be arcs, and arcs from the heading in which
// it stands and to that in which it is to stand.

// Arcs returns control points on a way of arcs, that take the whole time; nil where there is
// not time enough.
func (t Team) Arcs(i int, factor float64) []geom.Vec2 {
	r := t.Robots[i]
	radius := t.arcs(r, factor)
	line, leads, _ := t.lineOf(i, r.Headings, radius, t.Map)
	if line == nil {
		return nil
	}
	if t.tight(r, radius, leads) {
		return t.slowInBends(r, line, leads)
	}
	n := t.Waypoints
	p := profile.Fastest(n-1, r.pace(radius)*t.Step, r.Acceleration*t.Step*t.Step, false)
	if math.IsInf(p.Reach, 1) {
		p = profile.Even(n-1, false)
	} else if p.Reach < geom.Length(line) {
		return t.slowInBends(r, line, 0)
	}
	return append(p.Spread(line), line[len(line)-1])
}

// slowInBends returns control points on a line along which a robot goes as fast as it may, and slowly where it bends; nil where
// that takes longer than there is time.
func (t Team) slowInBends(r Robot, line []geom.Vec2, leads float64) []geom.Vec2 {
	if leads == 0 && math.IsInf(r.Speed, 1) && math.IsInf(r.Acceleration, 1) {
		return nil
	}
	speed, change := t.slow(r, line, leads)
	return profile.Paced(t.Waypoints-1, line, speed, change)
}

// slow returns how fast a robot may go at a distance along a line, slowly where this bends, and its acceleration, per time step.
// With leads it is so slow at its ends that two control points are on each of these straight pieces, and the next ones not much
// farther from each other.
func (t Team) slow(r Robot, line []geom.Vec2, leads float64) (speed func(at float64) float64, change float64) {
	const reserve = 0.95 // of the limits: curves lie beside their control points
	way, most := geom.Length(line), reserve*r.Speed*t.Step
	if leads > 0 {
		most = min(most, 0.5*r.TurningRadius*t.Frame.Scale) // an arc has several control points
	}
	var bends []bend
	at := 0.0
	for k := 1; k < len(line)-1; k++ {
		in, out := line[k].Sub(line[k-1]), line[k+1].Sub(line[k])
		at += in.Norm()
		if turn := math.Abs(math.Atan2(in.Cross(out), in.Dot(out))); turn > 1e-6 {
			short := min(in.Norm(), out.Norm())
			pace := reserve * r.pace(short/turn) * t.Step
			bends = append(bends, bend{at, short + pace, pace})
		}
	}
	return func(at float64) float64 {
		is := most
		for _, b := range bends {
			if math.Abs(at-b.at) <= b.reach {
				is = min(is, b.pace)
			}
		}
		if end := min(at, way-at) / leads; leads > 0 {
			is = min(is, leads*max(min(1, math.Sqrt(end)), 0.7+0.3*end))
		}
		return is
	}, reserve * r.Acceleration * t.Step * t.Step
}

// bend is where a line bends: no faster than its pace within reach, per time step.
type bend struct{ at, reach, pace float64 }

// Tight is by how much wider arcs are at least than they may be, for what is lost in decimals and repairs.
const Tight = 1.05

// From rest a way is straight at first: its curvature would have no bound. These are the lengths of
// such pieces, of a radius.
const longLead, shortLead = 0.2, 0.04

// tight reports whether a line is one for little room: by its arcs, or by how long it is straight at its ends.
func (t Team) tight(r Robot, radius, leads float64) bool {
	return r.TurningRadius > 0 && (leads < longLead*radius || radius <= Tight*r.TurningRadius*t.Frame.Scale)
}

// lineOf returns the line of a vehicle's way on a map, from and to headings that are given, nil where
// there is none, how long it is straight at these, and reports whether it can steer along it.
func (t Team) lineOf(i int, headings [2]*float64, radius float64, on *nav2d.Map) (line []geom.Vec2, leads float64, steers bool) {
	line, steers = t.lineFrom(i, headings, radius, longLead*radius, on)
	if steers || headings == [2]*float64{} {
		return line, longLead * radius, steers
	}
	if short, ok := t.lineFrom(i, headings, radius, shortLead*radius, on); ok {
		if both, ok := t.lineFrom(i, headingsOf(short, headings), radius, shortLead*radius, on); ok {
			short = both // straight at the end that has no heading, too
		}
		return short, shortLead * radius, true
	}
	return line, longLead * radius, false
}

// headingsOf returns given headings, and those of a line at its ends where none is given.
func headingsOf(line []geom.Vec2, headings [2]*float64) [2]*float64 {
	back := slices.Clone(line)
	slices.Reverse(back)
	for k, ends := range [2][2]geom.Vec2{{line[0], beyond(line, 0)}, {beyond(back, 0), back[0]}} {
		if headings[k] == nil {
			h := headingOf(ends[1].Sub(ends[0]))
			headings[k] = &h
		}
	}
	return headings
}

// lineFrom is lineOf with straight pieces of one length.
func (t Team) lineFrom(i int, headings [2]*float64, radius, lead float64, on *nav2d.Map) (line []geom.Vec2, steers bool) {
	r := t.Robots[i]
	start, goal := t.Frame.FromMap(r.Start), t.Frame.FromMap(r.Goal)
	from, to := start, goal
	if h := headings[0]; h != nil {
		from = from.Add(towards(*h, lead))
	}
	if h := headings[1]; h != nil {
		to = to.Sub(towards(*h, lead))
	}
	line, steers = steer.Dubins(from, to, headings, radius), true
	least := radius
	if corners := t.corners(i, from, to, radius, on); len(corners) > 2 {
		line, least = roundCorners(corners, headings, radius)
	}
	if r.TurningRadius > 0 && (line == nil || least < r.TurningRadius*t.Frame.Scale || !t.free(r, line, on)) {
		found := t.steered(r, [2]geom.Vec2{from, to}, headings, radius, on)
		if steers = found != nil; steers {
			line = found
		}
	}
	if line == nil {
		return nil, false
	}
	return slices.Concat([]geom.Vec2{start}, line, []geom.Vec2{goal}), steers
}

// room returns how far a place, in units of the task, is from those where a robot touches something on a map.
func (t Team) room(r Robot, on *nav2d.Map) func(geom.Vec2) float64 {
	frame := t.Frame
	return func(p geom.Vec2) float64 {
		q := frame.ToMap(p)
		clear, _ := on.Clearance(q)
		outside, _ := on.Bounds.SignedDistance(q)
		return min(clear-r.Radius-t.Margin, -outside-r.Radius) * t.Frame.Scale
	}
}

// free reports whether a robot touches nothing on a line.
func (t Team) free(r Robot, line []geom.Vec2, on *nav2d.Map) bool {
	return steer.Free(line, t.room(r, on), r.Size)
}

// steered returns a way of a vehicle round obstacles that is searched for with its arcs; nil where none is found.
func (t Team) steered(r Robot, ends [2]geom.Vec2, headings [2]*float64, radius float64, on *nav2d.Map) []geom.Vec2 {
	frame := t.Frame
	task := steer.Task{
		Start: ends[0], Goal: ends[1], Headings: headings, Radius: radius, Size: r.Size, Room: t.room(r, on),
		Bounds: geom.Box{Min: frame.FromMap(on.Bounds.Min), Max: frame.FromMap(on.Bounds.Max)},
	}
	return task.Way()
}

// Stuck reports whether for some vehicle no way is found even while nobody else is there.
func (t Team) Stuck() bool {
	for i, r := range t.Robots {
		if r.TurningRadius == 0 || !r.Rests || r.Stays {
			continue
		}
		if _, _, steers := t.lineAmong(i, Tight*r.TurningRadius*t.Frame.Scale, false, nil); !steers {
			return true
		}
	}
	return false
}

// towards returns a vector of some length along a heading.
func towards(heading, length float64) geom.Vec2 {
	sin, cos := math.Sincos(heading)
	return geom.Vec2{X: cos, Y: sin}.Scale(length)
}

// corners returns the shortest way of a robot round the obstacles of a map, as far from them as its arcs
// are wide where there is room, and the start and goal leave it; nil where none is found.
func (t Team) corners(i int, from, to geom.Vec2, radius float64, on *nav2d.Map) []geom.Vec2 {
	r, frame := t.Robots[i], t.Frame
	a, b, wide := frame.ToMap(from), frame.ToMap(to), radius/t.Frame.Scale
	var way []geom.Vec2
	for _, clear := range [...]float64{max(1.1*r.Radius, wide), 0.4*wide + r.Radius} {
		if way = on.Route(clear+t.Margin, on.Bounds.Grow(-r.Radius), a, b); way != nil {
			break
		}
	}
	if way == nil {
		way = t.Round(i, on, a, b)
	}
	for k, p := range way {
		way[k] = frame.FromMap(p)
	}
	return way
}
