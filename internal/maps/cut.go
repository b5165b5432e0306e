package maps

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// edge is a piece of an outline, from left to right.
type edge struct {
	a, b  geom.Vec2 // a.X < b.X
	owner int       // the outline that it belongs to
}

// y returns the height of an edge over x, at its ends exactly theirs.
func (e edge) y(x float64) float64 {
	switch x {
	case e.a.X:
		return e.a.Y
	case e.b.X:
		return e.b.Y
	}
	t := (x - e.a.X) / (e.b.X - e.a.X)
	return e.a.Y + t*(e.b.Y-e.a.Y)
}

// edgesOf returns the edges of an outline but the upright ones, which bound nothing in a
// sweep to the right.
func edgesOf(ring geom.Polygon, owner int) (out []edge) {
	for k, p := range ring {
		q := ring[(k+1)%len(ring)]
		switch {
		case p.X < q.X:
			out = append(out, edge{p, q, owner})
		case q.X < p.X:
			out = append(out, edge{q, p, owner})
		}
	}
	return out
}

// strip is a convex part that grows in a sweep: between a lower and an upper chain of
// points, the last edges of which go on.
type strip struct {
	lower, upper []geom.Vec2
	bottom, top  edge
}

// cut returns convex polygons that cover the region within which inside holds, and overlap
// nowhere by more than rounding. Edges may meet, and do not cross. inside is asked with the
// parities of the outlines, by owner: whether a point has an odd number of their edges
// beneath it.
//
// The plane is swept from left to right over the ends of edges, and cut above and beneath
// each into trapezoids (Seidel 1991, without its randomisation); neighbours are joined where
// their union is convex. Each part is the hull of its corners, which covers what rounding
// might have taken from it.
func cut(edges []edge, owners int, inside func(odd []bool) bool) (out []geom.Polygon) {
	xs := make([]float64, 0, 2*len(edges))
	for _, e := range edges {
		xs = append(xs, e.a.X, e.b.X)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	edges = slices.Clone(edges)
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.a.X, b.a.X) })
	s := sweep{odd: make([]bool, owners), inside: inside}
	next := 0
	for k := 0; k+1 < len(xs); k++ {
		s.active = slices.DeleteFunc(s.active, func(e edge) bool { return e.b.X <= xs[k] })
		for ; next < len(edges) && edges[next].a.X == xs[k]; next++ {
			s.active = append(s.active, edges[next])
		}
		s.slab(xs[k], xs[k+1])
	}
	if len(xs) > 0 {
		s.close(s.open, xs[len(xs)-1])
	}
	return s.parts
}

// sweep is a cut in progress.
type sweep struct {
	active []edge // that reach over the slab, from the lowest to the highest
	odd    []bool
	inside func(odd []bool) bool
	open   []*strip // of the slab before
	parts  []geom.Polygon
}

// slab goes on from one end of edges to the next: strips that end at x are closed, others
// go on, and new ones begin.
func (s *sweep) slab(x, to float64) {
	slices.SortStableFunc(s.active, func(a, b edge) int { return cmp.Compare(a.y(x)+a.y(to), b.y(x)+b.y(to)) })
	clear(s.odd)
	var now []*strip
	within, bottom := false, edge{}
	for _, e := range s.active {
		s.odd[e.owner] = !s.odd[e.owner]
		if is := s.inside(s.odd); is != within {
			if within = is; is {
				bottom = e
			} else if bottom.y(x) < e.y(x) || bottom.y(to) < e.y(to) {
				now = append(now, s.strip(bottom, e, x))
			}
		}
	}
	s.close(slices.DeleteFunc(s.open, func(t *strip) bool { return slices.Contains(now, t) }), x)
	s.open = now
}

// strip returns the open one that goes on between two edges from x, or a new one.
func (s *sweep) strip(bottom, top edge, x float64) *strip {
	low, high := geom.Vec2{X: x, Y: bottom.y(x)}, geom.Vec2{X: x, Y: top.y(x)}
	for _, t := range s.open {
		if t.bottom == bottom && t.top == top {
			return t
		}
		if t.bottom.y(x) != low.Y || t.top.y(x) != high.Y || low == high ||
			turn(t.bottom, bottom) < 0 || turn(t.top, top) > 0 || x > t.bottom.b.X || x > t.top.b.X {
			continue
		}
		t.lower, t.upper = append(t.lower, low), append(t.upper, high)
		t.bottom, t.top = bottom, top
		return t
	}
	return &strip{lower: []geom.Vec2{low}, upper: []geom.Vec2{high}, bottom: bottom, top: top}
}

// turn is positive where one edge turns left into another.
func turn(a, b edge) float64 { return a.b.Sub(a.a).Cross(b.b.Sub(b.a)) }

// close ends strips at x.
func (s *sweep) close(strips []*strip, x float64) {
	for _, t := range strips {
		points := append(slices.Clone(t.lower), t.upper...)
		points = append(points, geom.Vec2{X: x, Y: t.bottom.y(x)}, geom.Vec2{X: x, Y: t.top.y(x)})
		if h := hull(points); len(h) > 2 {
			s.parts = append(s.parts, h)
		}
	}
}

// hull returns the corners of the convex hull, counter-clockwise (Andrew 1979).
func hull(points []geom.Vec2) (out geom.Polygon) {
	slices.SortFunc(points, func(a, b geom.Vec2) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	points = slices.Compact(points)
	for pass := range 2 {
		least := len(out) + 2 - pass
		for _, p := range points {
			for len(out) >= least && out[len(out)-1].Sub(out[len(out)-2]).Cross(p.Sub(out[len(out)-2])) <= 0 {
				out = out[:len(out)-1]
			}
			if pass == 0 || p != out[len(out)-1] {
				out = append(out, p)
			}
		}
		slices.Reverse(points)
	}
	if len(out) > 1 {
		out = out[:len(out)-1] // the first point again
	}
	if !out.IsConvex() {
		return nil
	}
	return out
}

// inner reports whether a point lies within a ring, by the parity of the edges beneath it.
func inner(ring geom.Polygon, p geom.Vec2) (odd bool) {
	for _, e := range edgesOf(ring, 0) {
		if e.a.X <= p.X && p.X < e.b.X && e.y(p.X) < p.Y {
			odd = !odd
		}
	}
	return odd
}

// areaOf returns the sum of the areas of some polygons.
func areaOf(parts []geom.Polygon) (sum float64) {
	for _, p := range parts {
		sum += math.Abs(p.Area())
	}
	return sum
}
