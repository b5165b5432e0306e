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
func Dubins(start, goal geom.Vec2, headings [2]*float64, radius float64) (points []geom.Vec2) {
	length := math.Inf(1)
	straight := math.Atan2(goal.Y-start.Y, goal.X-start.X)
	for _, from := range candidates(headings[0], straight) {
		for _, to := range candidates(headings[1], straight) {
			for _, turns := range [4][2]float64{{1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
				if p, l := arcs(start, goal, from, to, radius, turns); l < length {
					points, length = p, l
				}
			}
		}
	}
	return points
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

// arcs returns a way that turns to the left (1) or right (-1) at both ends.
func arcs(start, goal geom.Vec2, from, to, radius float64, turns [2]float64) (points []geom.Vec2, length float64) {
	unit := func(a float64) geom.Vec2 { s, c := math.Sincos(a); return geom.Vec2{X: c, Y: s} }
	a := start.Add(unit(from).Perp().Scale(turns[0] * radius))
	b := goal.Add(unit(to).Perp().Scale(turns[1] * radius))
	way := b.Sub(a)
	d := way.Norm()
	if d == 0 {
		return nil, math.Inf(1)
	}
	heading := math.Atan2(way.Y, way.X) // along the straight piece
	if turns[0] != turns[1] {
		if d < 2*radius {
			return nil, math.Inf(1)
		}
		heading += turns[0] * math.Asin(2*radius/d)
	}
	first, last := between(from, heading, turns[0]), between(heading, to, turns[1])
	leave := a.Sub(unit(heading).Perp().Scale(turns[0] * radius))
	enter := b.Sub(unit(heading).Perp().Scale(turns[1] * radius))
	const steps = 32
	for k := range steps {
		points = append(points, a.Sub(unit(from+turns[0]*first*float64(k)/steps).Perp().Scale(turns[0]*radius)))
	}
	points = append(points, leave)
	for k := range steps {
		points = append(points, b.Sub(unit(heading+turns[1]*last*float64(k)/steps).Perp().Scale(turns[1]*radius)))
	}
	return append(points, goal), radius*(first+last) + leave.Dist(enter)
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
