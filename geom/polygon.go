package geom

// Polygon is a simple polygon without its closing vertex.
type Polygon []Vec2

// Area returns the signed area by the shoelace formula: positive when the
// vertices run counter-clockwise.
func (p Polygon) Area() float64 {
	if len(p) < 3 {
		return 0
	}
	sum := 0.0
	for i := 1; i+1 < len(p); i++ { // a fan from p[0] keeps far-away polygons accurate
		sum += p[i].Sub(p[0]).Cross(p[i+1].Sub(p[0]))
	}
	return sum / 2
}

// Contains reports whether q lies in the closed convex polygon, whose vertices
// run counter-clockwise.
func (p Polygon) Contains(q Vec2) bool {
	for i, a := range p {
		if side(a, p[(i+1)%len(p)], q) < 0 {
			return false
		}
	}
	return len(p) > 0
}

// Intersect writes the intersection of two convex polygons, both
// counter-clockwise, to dst and returns it; it is empty when they do not meet.
// The result has at most len(p)+len(q) vertices and may repeat one where an edge
// of p touches an edge of q. dst must not share memory with p or q.
//
// Source: Sutherland and Hodgman, "Reentrant polygon clipping" (CACM 17, 1974).
func Intersect(dst, p, q Polygon) Polygon {
	var buffers [2][16]Vec2
	in := append(Polygon(buffers[0][:0]), p...)
	out := Polygon(buffers[1][:0])
	for i, a := range q {
		out = clip(out[:0], in, a, q[(i+1)%len(q)])
		in, out = out, in
	}
	return append(dst[:0], in...)
}

// clip appends to dst the part of p to the left of the line from a to b.
func clip(dst, p Polygon, a, b Vec2) Polygon {
	if len(p) == 0 {
		return dst
	}
	from := p[len(p)-1]
	sideFrom := side(a, b, from)
	for _, to := range p {
		sideTo := side(a, b, to)
		if (sideFrom < 0) != (sideTo < 0) {
			dst = append(dst, from.Lerp(to, sideFrom/(sideFrom-sideTo)))
		}
		if sideTo >= 0 {
			dst = append(dst, to)
		}
		from, sideFrom = to, sideTo
	}
	return dst
}

// side is positive when p lies to the left of the line from a to b.
func side(a, b, p Vec2) float64 { return b.Sub(a).Cross(p.Sub(a)) }
