package geom

import "math"

// Closest returns a point of the core of c and one of the core of d that are nearest to
// each other; where the cores meet, one point twice. The gap between the regions is
// their distance less both radii.
func (c Convex) Closest(d Convex) (p, q Vec2) {
	if at, ok := c.Core.meet(d.Core); ok {
		return at, at
	}
	best := math.Inf(1)
	near := func(v, onEdge Vec2, swap bool) {
		if dist := v.Dist(onEdge); dist < best {
			best, p, q = dist, v, onEdge
			if swap {
				p, q = onEdge, v
			}
		}
	}
	c.Core.edges(func(e Segment) {
		for _, v := range d.Core {
			on := e.Closest(v)
			near(v, on, true)
		}
	})
	d.Core.edges(func(e Segment) {
		for _, v := range c.Core {
			on := e.Closest(v)
			near(v, on, false)
		}
	})
	return p, q
}

// edges calls f for every edge; that of a point has no length.
func (p Polygon) edges(f func(Segment)) {
	for i, a := range p {
		f(Segment{A: a, B: p[(i+1)%len(p)]})
	}
}

// meet returns a point that two convex cores share, if there is one: a vertex of one in
// the other or a crossing of edges.
func (p Polygon) meet(q Polygon) (at Vec2, ok bool) {
	for _, pair := range [2][2]Polygon{{p, q}, {q, p}} {
		for _, v := range pair[1] {
			if len(pair[0]) > 2 && pair[0].Contains(v) {
				return v, true
			}
		}
	}
	p.edges(func(e Segment) {
		q.edges(func(f Segment) {
			if !ok && e.Crosses(f) {
				at, ok = e.crossing(f), true
			}
		})
	})
	return at, ok
}

// Crosses reports whether two segments pass each other. A point on the line of the other
// counts as on its right, so that a closed curve through it crosses the other as often
// as one that is moved a little.
func (s Segment) Crosses(t Segment) bool {
	return (side(s.A, s.B, t.A) > 0) != (side(s.A, s.B, t.B) > 0) && (side(t.A, t.B, s.A) > 0) != (side(t.A, t.B, s.B) > 0)
}

// crossing returns the point where two segments that cross do so.
func (s Segment) crossing(t Segment) Vec2 {
	a, b := side(t.A, t.B, s.A), side(t.A, t.B, s.B)
	return s.A.Lerp(s.B, a/(a-b))
}
