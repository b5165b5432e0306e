package steer

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// A way of arcs of one radius and a straight line between them, the shortest there is without
// going backwards where start and goal are four radii apart.
//
// Source: Dubins, "On curves of minimal length with a constraint on average curvature" (1957).

// Dubins returns points along the shortest such way from a heading to another; a heading
// that is nil is chosen. There are none where no such way is found.
func Dubins(start, goal geom.Vec2, headings [2]*float64, radius float64) []geom.Vec2 {
	a, ok := shortest(start, goal, headings, radius)
	if !ok {
		return nil
	}
	return append(a.points(fine), goal)
}

// shortest returns the shortest such way, if there is any.
func shortest(start, goal geom.Vec2, headings [2]*float64, radius float64) (best arcs, ok bool) {
	length := math.Inf(1)
	straight := math.Atan2(goal.Y-start.Y, goal.X-start.X)
	for _, from := range candidates(headings[0], straight) {
		for _, to := range candidates(headings[1], straight) {
			for _, turns := range [4][2]float64{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
				if a, ok := newArcs(start, goal, from, to, radius, turns); ok && a.length() < length {
					best, length = a, a.length()
				}
			}
		}
	}
	return best, !math.IsInf(length, 1)
}

// candidates returns a heading, or the straight one and all round.
func candidates(heading *float64, straight float64) []float64 {
	if heading != nil {
		return []float64{*heading}
	}
	const around = 16
	all := make([]float64, around)
	for k := range all {
		all[k] = straight + 2*math.Pi*float64(k)/around
	}
	return all
}

// arcs are a way that turns to the left (1) or right (-1) at both ends, with a straight piece between.
type arcs struct {
	radius       float64
	turns        [2]float64
	centers      [2]geom.Vec2
	from, along  float64 // headings at the start and of the straight piece
	angles       [2]float64
	leave, enter geom.Vec2 // ends of the straight piece
}

// newArcs returns those between two headings, if there are any.
func newArcs(start, goal geom.Vec2, from, to, radius float64, turns [2]float64) (a arcs, ok bool) {
	a = arcs{radius: radius, turns: turns, from: from}
	a.centers = [2]geom.Vec2{start.Add(unit(from).Perp().Scale(turns[0] * radius)), goal.Add(unit(to).Perp().Scale(turns[1] * radius))}
	way := a.centers[1].Sub(a.centers[0])
	d := way.Norm()
	if d == 0 {
		return a, false
	}
	a.along = math.Atan2(way.Y, way.X)
	if turns[0] != turns[1] {
		if d < 2*radius {
			return a, false
		}
		a.along += turns[0] * math.Asin(2*radius/d)
	}
	a.angles = [2]float64{between(from, a.along, turns[0]), between(a.along, to, turns[1])}
	a.leave, a.enter = a.on(0, a.along), a.on(1, a.along)
	return a, true
}

// on returns the point of an arc with a heading.
func (a arcs) on(arc int, heading float64) geom.Vec2 {
	return a.centers[arc].Sub(unit(heading).Perp().Scale(a.turns[arc] * a.radius))
}

func (a arcs) length() float64 {
	return a.radius*(a.angles[0]+a.angles[1]) + a.leave.Dist(a.enter)
}

// fine is the angle between points on arcs: control points of slow vehicles are near each other. Coarse ones show
// whether there is room.
const fine, coarse = 0.02, 0.2

// points returns points along the arcs, no farther from each other than an angle, without the last one.
func (a arcs) points(chord float64) (points []geom.Vec2) {
	for arc, heading := range [2]float64{a.from, a.along} {
		n := max(1, int(math.Ceil(a.angles[arc]/chord)))
		for k := range n {
			points = append(points, a.on(arc, heading+a.turns[arc]*a.angles[arc]*float64(k)/float64(n)))
		}
		if arc == 0 {
			points = append(points, a.leave)
		}
	}
	return points
}

func unit(heading float64) geom.Vec2 {
	sin, cos := math.Sincos(heading)
	return geom.Vec2{X: cos, Y: sin}
}

// between returns the angle from one heading to another on one side, from 0 to 2π.
func between(from, to, side float64) float64 {
	a := math.Mod(side*(to-from), 2*math.Pi)
	if a < 0 {
		a += 2 * math.Pi
	}
	if a > 2*math.Pi-1e-9 {
		return 0
	}
	return a
}
