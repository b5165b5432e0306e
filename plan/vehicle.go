package plan

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/internal/steer"
	"github.com/go-pcd/pcd/plan/route"
)

// A vehicle cannot turn more tightly than it steers: it is given the shortest way round
// obstacles, kept so far from them that corners can be arcs, and arcs from the heading in which
// it stands and to that in which it is to stand.

// vehicleWay returns control points on a way of arcs, that take the whole time; nil where there is
// not time enough.
func (t Team) vehicleWay(i int, factor float64) []geom.Vec2 {
	r := t.Robots[i]
	speed, acceleration := t.limits(r)
	radius := t.arcs(r, factor, speed)
	line := t.vehicleLine(i, [2]*float64{r.StartHeading, r.GoalHeading}, radius, t.Map)
	if line == nil {
		return nil
	}
	n := t.waypoints()
	top := r.pace(speed, acceleration, radius)
	p := profile.Fastest(n-1, top*t.Step, acceleration*t.Step*t.Step, false)
	if math.IsInf(p.Reach, 1) {
		p = profile.Even(n-1, false)
	} else if p.Reach < geom.Length(line) {
		return nil
	}
	return append(p.Spread(line), line[len(line)-1])
}

// pace returns how fast a robot may go on arcs.
func (r Robot) pace(speed, acceleration, radius float64) float64 {
	if r.TurnRate > 0 {
		speed = min(speed, 0.85*r.TurnRate*radius)
	}
	return min(speed, math.Sqrt(0.85*acceleration*radius))
}

// arcs returns the radius of the arcs of a robot's way.
func (t Team) arcs(r Robot, factor, speed float64) float64 {
	apart := t.frame().FromMap(r.Start).Dist(t.frame().FromMap(r.Goal))
	radius := factor * r.TurningRadius * t.LengthUnit()
	if r.TurnRate > 0 {
		pace := min(speed, 1.5*apart/(t.Step*float64(t.waypoints()-1)))
		radius = max(radius, min(factor*pace/r.TurnRate, apart/4))
	}
	if radius == 0 {
		radius = apart / 4
	}
	return radius
}

// vehicleLine returns the line of a vehicle's way on a map, from and to headings that are given; nil where
// there is none.
func (t Team) vehicleLine(i int, headings [2]*float64, radius float64, on *nav2d.Map) []geom.Vec2 {
	line, _ := t.lineOf(i, headings, radius, on)
	return line
}

// lineOf is vehicleLine, and reports whether a vehicle can steer along it.
func (t Team) lineOf(i int, headings [2]*float64, radius float64, on *nav2d.Map) (line []geom.Vec2, steers bool) {
	r := t.Robots[i]
	start, goal := t.frame().FromMap(r.Start), t.frame().FromMap(r.Goal)
	// From rest a way is straight at first: its curvature would have no bound.
	from, to := start, goal
	if h := headings[0]; h != nil {
		from = from.Add(towards(*h, 0.2*radius))
	}
	if h := headings[1]; h != nil {
		to = to.Sub(towards(*h, 0.2*radius))
	}
	line, steers = steer.Dubins(from, to, headings, radius), true
	least := radius
	if corners := t.corners(i, from, to, radius, on); len(corners) > 2 {
		line, least = roundCorners(corners, headings, radius)
	}
	if r.TurningRadius > 0 && (line == nil || least < r.TurningRadius*t.LengthUnit() || !t.free(r, line, on)) {
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
	frame := t.frame()
	return func(p geom.Vec2) float64 {
		q := frame.ToMap(p)
		clear, _ := on.Clearance(q)
		outside, _ := on.Bounds.SignedDistance(q)
		return min(clear-r.Radius-t.Margin, -outside-r.Radius) * t.LengthUnit()
	}
}

// free reports whether a robot touches nothing on a line.
func (t Team) free(r Robot, line []geom.Vec2, on *nav2d.Map) bool {
	return steer.Free(line, t.room(r, on), t.RadiusOf(r))
}

// steered returns a way of a vehicle round obstacles that is searched for with its arcs; nil where none is found.
func (t Team) steered(r Robot, ends [2]geom.Vec2, headings [2]*float64, radius float64, on *nav2d.Map) []geom.Vec2 {
	frame := t.frame()
	task := steer.Task{
		Start: ends[0], Goal: ends[1], Headings: headings, Radius: radius, Size: t.RadiusOf(r), Room: t.room(r, on),
		Bounds: geom.Box{Min: frame.FromMap(on.Bounds.Min), Max: frame.FromMap(on.Bounds.Max)},
	}
	return task.Way()
}

// stuck reports whether for some vehicle no way is found even while nobody else is there.
func (t Team) stuck() bool {
	for i, r := range t.Robots {
		if r.TurningRadius == 0 || !r.rests() || t.stays(r) {
			continue
		}
		if _, steers := t.lineAmong(i, [2]*float64{r.StartHeading, r.GoalHeading}, 1.05*r.TurningRadius*t.LengthUnit(), false, nil, t.nobody); !steers {
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
	r, frame := t.Robots[i], t.frame()
	a, b, wide := frame.ToMap(from), frame.ToMap(to), radius/t.LengthUnit()
	var way []geom.Vec2
	for _, clear := range [...]float64{max(1.1*r.Radius, wide), 0.4*wide + r.Radius} {
		if way = on.Route(clear+t.Margin, on.Bounds.Grow(-r.Radius), a, b); way != nil {
			break
		}
	}
	if way == nil {
		way = route.Task{Map: on, Margin: t.Margin}.Round(t.disk(r), a, b)
	}
	for k, p := range way {
		way[k] = frame.FromMap(p)
	}
	return way
}

// roundCorners returns a polyline with arcs in place of its corners, and arcs at its ends to and from
// headings that are given. An arc is tighter where the pieces beside it are too short; the radius of the tightest is
// returned as well.
func roundCorners(corners []geom.Vec2, headings [2]*float64, radius float64) (line []geom.Vec2, least float64) {
	last := len(corners) - 1
	first, end := []geom.Vec2{corners[0]}, []geom.Vec2{corners[last]}
	corners = slices.Clone(corners)
	if h := headings[0]; h != nil {
		middle := corners[0].Lerp(corners[1], 0.5)
		along := headingOf(corners[1].Sub(corners[0]))
		if first = steer.Dubins(corners[0], middle, [2]*float64{h, &along}, radius); first == nil {
			return nil, 0
		}
		corners[0] = middle
	}
	if h := headings[1]; h != nil {
		middle := corners[last].Lerp(corners[last-1], 0.5)
		along := headingOf(corners[last].Sub(corners[last-1]))
		if end = steer.Dubins(middle, corners[last], [2]*float64{&along, h}, radius); end == nil {
			return nil, 0
		}
		corners[last] = middle
	}
	line, least = first, radius
	for k := 1; k < last; k++ {
		room := min(corners[k].Dist(corners[k-1])*half(k-1, last), corners[k].Dist(corners[k+1])*half(k+1, last))
		arc, tightest := corner(corners[k-1], corners[k], corners[k+1], radius, room)
		line, least = append(line, arc...), min(least, tightest)
	}
	return append(line, end...), least
}

// half returns the part of a piece of a polyline that an arc at its other end may take: half, and all of it up
// to an end of the line.
func half(k, last int) float64 {
	if k == 0 || k == last {
		return 1
	}
	return 0.5
}

func headingOf(v geom.Vec2) float64 { return math.Atan2(v.Y, v.X) }

// corner returns points of the arc that touches the lines from p to q and from q to r, no farther
// from q than there is room, and its radius.
func corner(p, q, r geom.Vec2, radius, room float64) (points []geom.Vec2, tightest float64) {
	in, out := q.Sub(p), r.Sub(q)
	if in == (geom.Vec2{}) || out == (geom.Vec2{}) {
		return nil, radius
	}
	in, out = in.Scale(1/in.Norm()), out.Scale(1/out.Norm())
	turn := math.Atan2(in.Cross(out), in.Dot(out))
	tangent := math.Tan(math.Abs(turn) / 2)
	if tangent == 0 {
		return []geom.Vec2{q}, radius
	}
	radius = min(radius, room/tangent)
	side := math.Copysign(1, turn)
	begin := q.Sub(in.Scale(radius * tangent))
	center := begin.Add(in.Perp().Scale(side * radius))
	const steps = 16
	for k := range steps + 1 {
		sin, cos := math.Sincos(turn * float64(k) / steps)
		d := geom.Vec2{X: cos*in.X - sin*in.Y, Y: sin*in.X + cos*in.Y}
		points = append(points, center.Sub(d.Perp().Scale(side*radius)))
	}
	return points, radius
}
