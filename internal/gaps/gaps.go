package gaps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Rounding is the most, relative to the coordinates that enter, by which a gap of
// this file stays below the exact one. The bound is one-sided: a gap is never
// larger than the exact one.
//
// A gap is found together with a direction n of unit length, and is computed from n
// alone: whatever n is, min n·u over the points that it has to separate is a lower
// bound of their distance, so the error of n costs accuracy and never safety. What
// is left are the two roundings of each product sum and the length of n, less than
// 6 units of 2⁻⁵³ of |n_x u_x| + |n_y u_y|; 16 are taken off, and as much at each
// subtraction of a radius.
const Rounding = 0x1p-47

// shave is how much of |n_x u_x| + |n_y u_y| is taken off.
const shave = 0x1p-49

// below returns a number that is not larger than the inner product of p with the
// direction n, scaled to length one.
func below(n, p geom.Vec2) float64 {
	a, b := n.X*p.X, n.Y*p.Y
	return a + b - shave*(math.Abs(a)+math.Abs(b))
}

// less returns a number that is not larger than a - b, for b >= 0.
func less(a, b float64) float64 { return a - b - shave*(math.Abs(a)+b) }

// Relative returns the distance of a segment from u to v to the origin less a
// radius, and the direction n that shows it: n·u and n·v are both at least gap +
// radius, and n points from the origin to the nearest point of the segment. With u
// and v the relative positions of two disks at the two ends of a step, and radius
// the sum of their radii, it is their smallest gap while both move straight.
//
// The gap is at least -radius, up to rounding: how deep disks overlap is
// the distance of their centres, whatever the way out.
func Relative(u, v geom.Vec2, radius float64) (gap float64, n geom.Vec2) {
	best, n := math.Inf(-1), geom.Vec2{X: 1, Y: 0}
	for _, c := range [3]geom.Vec2{normalTowards(v.Sub(u), u), u.Unit(), v.Unit()} {
		if d := min(below(c, u), below(c, v)); d > best {
			best, n = d, c
		}
	}
	return less(best, radius), n
}

// normalTowards returns the unit normal of v on the side of p.
func normalTowards(v, p geom.Vec2) geom.Vec2 {
	n := v.Perp().Unit()
	if n.Dot(p) < 0 {
		return n.Scale(-1)
	}
	return n
}

// Segment returns the signed distance between the segment s and the region less
// a radius, and the direction n that shows it: the segment lies beyond the line
// with normal n that touches the region. Where they overlap the gap is negative: the
// shortest shift that would part them.
//
// Candidates for n are the normals of both, and the directions between their
// vertices: one of them is optimal for two convex sets in the plane.
func Segment(c geom.Convex, s geom.Segment, radius float64) (gap float64, n geom.Vec2) {
	best, n := math.Inf(-1), geom.Vec2{X: 1, Y: 0}
	try := func(v geom.Vec2) {
		if d := parted(c, s, v); d > best {
			best, n = d, v
		}
	}
	along := s.B.Sub(s.A).Perp().Unit()
	try(along)
	try(along.Scale(-1))
	for i, v := range c.Core {
		if len(c.Core) > 1 {
			normal := c.Core[(i+1)%len(c.Core)].Sub(v).Perp().Scale(-1).Unit()
			try(normal)
			if len(c.Core) == 2 {
				try(normal.Scale(-1))
			}
		}
		try(s.A.Sub(v).Unit())
		try(s.B.Sub(v).Unit())
	}
	return less(less(best, c.Radius), radius), n
}

// parted returns by how much n separates the segment from the core.
func parted(c geom.Convex, s geom.Segment, n geom.Vec2) float64 {
	d := math.Inf(1)
	for _, v := range c.Core {
		d = min(d, below(n, s.A.Sub(v)), below(n, s.B.Sub(v)))
	}
	return d
}

// Support returns the largest inner product of a point of the region with the unit
// vector n, rounded up.
func Support(c geom.Convex, n geom.Vec2) float64 {
	most := math.Inf(1)
	for _, v := range c.Core {
		most = min(most, below(n, v.Scale(-1)))
	}
	return -less(most, c.Radius)
}

// Inner returns the smallest distance to the border of a disk whose centre moves
// along s, negative outside, and the inward normal of the nearest side.
func Inner(b geom.Box, s geom.Segment, radius float64) (gap float64, n geom.Vec2) {
	gap = math.Inf(1)
	for _, side := range [4]struct {
		n      geom.Vec2
		corner geom.Vec2
	}{{geom.Vec2{X: 1, Y: 0}, b.Min}, {geom.Vec2{X: -1, Y: 0}, b.Max}, {geom.Vec2{X: 0, Y: 1}, b.Min}, {geom.Vec2{X: 0, Y: -1}, b.Max}} {
		d := min(below(side.n, s.A.Sub(side.corner)), below(side.n, s.B.Sub(side.corner)))
		if d = less(d, radius); d < gap {
			gap, n = d, side.n
		}
	}
	return gap, n
}
