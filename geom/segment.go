package geom

// Segment is the straight line between two points, which may coincide.
type Segment struct{ A, B Vec2 }

// Closest returns the point of the segment that is nearest to p.
func (s Segment) Closest(p Vec2) Vec2 {
	ab := s.B.Sub(s.A)
	n := ab.Dot(ab)
	if n == 0 {
		return s.A
	}
	t := min(max(p.Sub(s.A).Dot(ab)/n, 0), 1)
	return s.A.Lerp(s.B, t)
}

// Bounds returns the smallest box around the segment.
func (s Segment) Bounds() Box {
	return Box{Vec2{min(s.A.X, s.B.X), min(s.A.Y, s.B.Y)}, Vec2{max(s.A.X, s.B.X), max(s.A.Y, s.B.Y)}}
}

// Distance returns the distance from p to the segment.
func (s Segment) Distance(p Vec2) float64 {
	q := s.Closest(p)
	return p.Dist(q)
}

// Crosses reports whether two segments pass each other. A point on the line of the other
// counts as on its right, so that a closed curve through it crosses the other as often
// as one that is moved a little.
func (s Segment) Crosses(t Segment) bool {
	return (side(s.A, s.B, t.A) > 0) != (side(s.A, s.B, t.B) > 0) && (side(t.A, t.B, s.A) > 0) != (side(t.A, t.B, s.B) > 0)
}
