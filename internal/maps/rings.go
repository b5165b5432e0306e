package maps

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
)

// maxRing bounds the corners of a polygon, holes included: crossings are looked for among
// all pairs that lie over each other.
const maxRing = 1 << 15

// outline is a polygon with holes.
type outline struct {
	outer geom.Polygon
	holes []geom.Polygon
}

// newOutline checks the rings of a polygon: closed or not, they are taken as closed.
func newOutline(file, what string, rings []geom.Polygon) (o outline, err error) {
	n := 0
	for k, ring := range rings {
		rings[k] = cleaned(ring)
		if n += len(rings[k]); n > maxRing {
			return o, broken(file, "%s has more than %d corners", what, maxRing)
		}
	}
	if at, crossed := crossing(rings); crossed {
		return o, broken(file, "%s: edges cross near %s", what, told.Place(at.X, at.Y, 1e-2*extent(rings)))
	}
	for k, ring := range rings {
		if len(ring) < 3 || ring.Area() == 0 {
			return o, broken(file, "%s: ring %d has fewer than three points that are not on one line", what, k)
		}
		if k == 0 {
			o.outer = ring
		} else {
			o.holes = append(o.holes, ring)
		}
	}
	for k, hole := range o.holes {
		if !withinRing(o.outer, hole) {
			return o, broken(file, "%s: hole %d lies outside of the outer ring", what, k+1)
		}
	}
	return o, nil
}

// cleaned leaves out points that repeat the one before them, and those in the middle of a
// straight run.
func cleaned(ring geom.Polygon) (out geom.Polygon) {
	for k, p := range ring {
		if k == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	for len(out) > 1 && out[0] == out[len(out)-1] {
		out = out[:len(out)-1]
	}
	for k := 0; k < len(out) && len(out) > 2; {
		n := len(out)
		a, b := out[k].Sub(out[(k+n-1)%n]), out[(k+1)%n].Sub(out[k])
		if a.Cross(b) == 0 && a.Dot(b) > 0 {
			out = slices.Delete(out, k, k+1)
			continue
		}
		k++
	}
	return out
}

// withinRing reports whether a hole lies within a ring that it does not cross: none of its
// points lies outside, unless on the ring itself.
func withinRing(ring, hole geom.Polygon) bool {
	for k, p := range hole {
		mid := p.Lerp(hole[(k+1)%len(hole)], 0.5)
		for _, q := range []geom.Vec2{p, mid} {
			if !inner(ring, q) && distance(ring, q) > padOf(boundsOf(ring)) {
				return false
			}
		}
	}
	return true
}

// distance returns how far a point is from a ring.
func distance(ring geom.Polygon, p geom.Vec2) float64 {
	best := math.Inf(1)
	for k, a := range ring {
		q := geom.Segment{A: a, B: ring[(k+1)%len(ring)]}.Closest(p)
		best = min(best, q.Dist(p))
	}
	return best
}

// extent returns the longer side of what rings take up.
func extent(rings []geom.Polygon) float64 {
	b := geom.Box{Min: rings[0][0], Max: rings[0][0]}
	for _, ring := range rings {
		b = b.Join(boundsOf(ring))
	}
	return max(b.Size().X, b.Size().Y)
}

// crossing returns a point in which two edges of some rings cross, if there are any: pass
// each other at a point that is an end of neither.
func crossing(rings []geom.Polygon) (at geom.Vec2, crossed bool) {
	var all []geom.Segment
	for _, ring := range rings {
		for k, p := range ring {
			if q := ring[(k+1)%len(ring)]; p.X <= q.X {
				all = append(all, geom.Segment{A: p, B: q})
			} else {
				all = append(all, geom.Segment{A: q, B: p})
			}
		}
	}
	slices.SortFunc(all, func(a, b geom.Segment) int { return cmp.Compare(a.A.X, b.A.X) })
	var active []geom.Segment
	for _, s := range all {
		active = slices.DeleteFunc(active, func(t geom.Segment) bool { return t.B.X < s.A.X })
		for _, t := range active {
			if p, ok := passing(s, t); ok {
				return p, true
			}
		}
		active = append(active, s)
	}
	return at, false
}

// passing returns where two segments pass each other in the interior of both.
func passing(s, t geom.Segment) (at geom.Vec2, ok bool) {
	side := func(s geom.Segment, p geom.Vec2) float64 { return s.B.Sub(s.A).Cross(p.Sub(s.A)) }
	a, b := side(s, t.A), side(s, t.B)
	c, d := side(t, s.A), side(t, s.B)
	if !(a*b < 0 && c*d < 0) {
		return at, false
	}
	return s.A.Lerp(s.B, c/(c-d)), true
}

// cut returns convex polygons that cover the outline without its holes.
func (o outline) cut(file, what string) ([]geom.Polygon, error) {
	edges, area := edgesOf(o.outer, 0), math.Abs(o.outer.Area())
	for _, h := range o.holes {
		edges = append(edges, edgesOf(h, 0)...)
		area -= math.Abs(h.Area())
	}
	parts := cut(edges, 1, func(odd []bool) bool { return odd[0] })
	size := boundsOf(o.outer).Size()
	if sum := areaOf(parts); !(math.Abs(sum-area) <= 1e-9*math.Abs(area)+1e-12*size.X*size.Y) {
		return nil, broken(file, "%s cannot be cut into convex parts: they cover %.12g of its area of %.12g; its edges meet too nearly", what, sum, area)
	}
	return parts, nil
}

// besides returns convex polygons that cover what a box has outside of all of some
// outlines, which may overlap, and within holes.
func besides(b geom.Box, free, holes []geom.Polygon) []geom.Polygon {
	rings := append(append([]geom.Polygon{b.Convex().Core}, free...), holes...)
	var edges []edge
	for k, ring := range split(rings) {
		edges = append(edges, edgesOf(ring, k)...)
	}
	return cut(edges, len(rings), func(odd []bool) bool {
		return odd[0] && (!slices.Contains(odd[1:1+len(free)], true) || slices.Contains(odd[1+len(free):], true))
	})
}

// split returns rings with corners where their edges cross.
func split(rings []geom.Polygon) (out []geom.Polygon) {
	for _, ring := range rings {
		var with geom.Polygon
		for k, p := range ring {
			s := geom.Segment{A: p, B: ring[(k+1)%len(ring)]}
			var on []geom.Vec2
			for _, other := range rings {
				for l, q := range other {
					if at, ok := passing(s, geom.Segment{A: q, B: other[(l+1)%len(other)]}); ok {
						on = append(on, at)
					}
				}
			}
			slices.SortFunc(on, func(a, b geom.Vec2) int { return cmp.Compare(a.Dist(p), b.Dist(p)) })
			with = append(append(with, p), on...)
		}
		out = append(out, with)
	}
	return out
}
