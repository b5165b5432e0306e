package gaps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Closest returns a point of the core of c and one of the core of d that are nearest to
// each other; where the cores meet, one point twice. The gap between the regions is
// their distance less both radii.
func Closest(c, d geom.Convex) (p, q geom.Vec2) {
	if at, ok := meet(c.Core, d.Core); ok {
		return at, at
	}
	best := math.Inf(1)
	near := func(v, onEdge geom.Vec2, swap bool) {
		if dist := v.Dist(onEdge); dist < best {
			best, p, q = dist, v, onEdge
			if swap {
				p, q = onEdge, v
			}
		}
	}
	edges(c.Core, func(e geom.Segment) {
		for _, v := range d.Core {
			on := e.Closest(v)
			near(v, on, true)
		}
	})
	edges(d.Core, func(e geom.Segment) {
		for _, v := range c.Core {
			on := e.Closest(v)
			near(v, on, false)
		}
	})
	return p, q
}

// edges calls f for every edge; that of a point has no length.
func edges(p geom.Polygon, f func(geom.Segment)) {
	for i, a := range p {
		f(geom.Segment{A: a, B: p[(i+1)%len(p)]})
	}
}

// meet returns a point that two convex cores share, if there is one: a vertex of one in
// the other or a crossing of edges.
func meet(p, q geom.Polygon) (at geom.Vec2, ok bool) {
	for _, pair := range [2][2]geom.Polygon{{p, q}, {q, p}} {
		for _, v := range pair[1] {
			if len(pair[0]) > 2 && pair[0].Contains(v) {
				return v, true
			}
		}
	}
	edges(p, func(e geom.Segment) {
		edges(q, func(f geom.Segment) {
			if !ok && e.Crosses(f) {
				at, ok = crossing(e, f), true
			}
		})
	})
	return at, ok
}

// crossing returns the point where two segments that cross do so.
func crossing(s, t geom.Segment) geom.Vec2 {
	along := t.B.Sub(t.A)
	a, b := along.Cross(s.A.Sub(t.A)), along.Cross(s.B.Sub(t.A))
	return s.A.Lerp(s.B, a/(a-b))
}
