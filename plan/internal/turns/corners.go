package turns

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/steer"
)

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
