package gaps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Hull returns the signed distance of the hull of four points to the origin less a
// radius, and the direction n that shows it: n·p is at least gap + radius for all four.
// With the difference of two motions, [geom.Bezier.Sub], and the sum of the radii of two
// disks, the disks keep at least that gap while they move. Where the hull holds the
// origin the gap is below -radius: by the shortest shift that would part them.
//
// It errs on one side only, see [Rounding]. Candidates for n are the normals of all pairs
// of points, and the points.
func Hull(b geom.Bezier, radius float64) (gap float64, n geom.Vec2) {
	best, n := math.Inf(-1), geom.Vec2{X: 1, Y: 0}
	try := func(v geom.Vec2) {
		if d := least(b, v); d > best {
			best, n = d, v
		}
	}
	normals(b, try)
	for _, p := range b {
		try(p.Unit())
	}
	return less(leastBelow(b, n), radius), n
}

// normals calls f for both normals of every pair of points.
func normals(b geom.Bezier, f func(n geom.Vec2)) {
	for i := range b {
		for j := range i {
			n := b[i].Sub(b[j]).Perp().Unit()
			f(n)
			f(n.Scale(-1))
		}
	}
}

// least returns the smallest component along n.
func least(b geom.Bezier, n geom.Vec2) float64 {
	return min(min(n.Dot(b[0]), n.Dot(b[1])), min(n.Dot(b[2]), n.Dot(b[3])))
}

// leastBelow is least that errs to below only.
func leastBelow(b geom.Bezier, n geom.Vec2) float64 {
	return min(min(below(n, b[0]), below(n, b[1])), min(below(n, b[2]), below(n, b[3])))
}

// HullTo returns the signed distance between the hull of four points and the region
// less a radius, and the direction n that shows it, as [Segment] does for a
// segment.
func HullTo(c geom.Convex, b geom.Bezier, radius float64) (gap float64, n geom.Vec2) {
	best, n := math.Inf(-1), geom.Vec2{X: 1, Y: 0}
	try := func(v geom.Vec2) {
		d := least(b, v)
		most := math.Inf(-1)
		for _, q := range c.Core {
			most = max(most, v.Dot(q))
		}
		if d -= most; d > best {
			best, n = d, v
		}
	}
	normals(b, try)
	for i, v := range c.Core {
		if len(c.Core) > 1 {
			normal := c.Core[(i+1)%len(c.Core)].Sub(v).Perp().Scale(-1).Unit()
			try(normal)
			if len(c.Core) == 2 {
				try(normal.Scale(-1))
			}
		}
		for _, p := range b {
			try(p.Sub(v).Unit())
		}
	}
	best = math.Inf(1)
	for _, v := range c.Core {
		at := geom.Bezier{b[0].Sub(v), b[1].Sub(v), b[2].Sub(v), b[3].Sub(v)}
		best = min(best, leastBelow(at, n))
	}
	return less(less(best, c.Radius), radius), n
}

// To returns [HullTo] of one region.
func To(c geom.Convex) func(b geom.Bezier, radius float64) (gap float64, n geom.Vec2) {
	return func(b geom.Bezier, radius float64) (gap float64, n geom.Vec2) { return HullTo(c, b, radius) }
}

// Curves returns the signed distance between the hulls of two curves less a radius, and the
// direction n that shows it: every point of b lies beyond every point of c along n by at
// least gap + radius. So far disks keep from each other that are anywhere on the two, at
// whatever times. It errs on one side only, see [Rounding].
func Curves(b, c geom.Bezier, radius float64) (gap float64, n geom.Vec2) {
	best, n := math.Inf(-1), geom.Vec2{X: 1, Y: 0}
	try := func(v geom.Vec2) {
		if d := least(b, v) + least(c, v.Scale(-1)); d > best {
			best, n = d, v
		}
	}
	normals(b, try)
	normals(c, try)
	for _, p := range b {
		for _, q := range c {
			try(p.Sub(q).Unit())
		}
	}
	best = math.Inf(1)
	for _, q := range c {
		best = min(best, leastBelow(geom.Bezier{b[0].Sub(q), b[1].Sub(q), b[2].Sub(q), b[3].Sub(q)}, n))
	}
	return less(best, radius), n
}
