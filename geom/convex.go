package geom

import "math"

// Convex is a convex region: everything within Radius of Core, which is a point,
// a segment or a convex polygon with counter-clockwise vertices. A disk, a box
// with rounded corners, a capsule and a polygon are all of this form.
type Convex struct {
	Core   Polygon
	Radius float64
}

// outward bounds the error, relative to the largest coordinate, with which a solid
// is brought to the form of a core and a radius. The radius grows by as much, so
// that the region never gets smaller.
const outward = 0x1p-50

// Convex returns the box as a core of four corners.
func (b Box) Convex() Convex {
	return Convex{Core: Polygon{b.Min, {b.Max.X, b.Min.Y}, b.Max, {b.Min.X, b.Max.Y}}}
}

// Convex returns the rectangle of the centres of the corner arcs, and their radius.
// A box as round as it is wide has a core of two points or one.
func (b RoundedBox) Convex() Convex {
	hx, hy := max(b.Size.X/2-b.Radius, 0), max(b.Size.Y/2-b.Radius, 0)
	pad := outward * (math.Abs(b.Center.X) + math.Abs(b.Center.Y) + b.Size.X + b.Size.Y)
	at := func(sx, sy float64) Vec2 { return Vec2{b.Center.X + sx*hx, b.Center.Y + sy*hy} }
	core := Polygon{at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)}
	switch {
	case hx == 0 && hy == 0:
		core = Polygon{b.Center}
	case hx == 0:
		core = Polygon{at(0, -1), at(0, 1)}
	case hy == 0:
		core = Polygon{at(-1, 0), at(1, 0)}
	}
	return Convex{Core: core, Radius: b.Radius + pad}
}

// Convex returns the circle as a core of one point.
func (c Circle) Convex() Convex { return Convex{Core: Polygon{c.Center}, Radius: c.Radius} }

// Rectangle returns the polygon of a rectangle of some width and height that is
// turned counter-clockwise by an angle in radians about its centre.
func Rectangle(center, size Vec2, angle float64) Polygon {
	s, c := math.Sincos(angle)
	var out Polygon
	for _, k := range [4]Vec2{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}} {
		x, y := k.X*size.X, k.Y*size.Y
		out = append(out, Vec2{center.X + c*x - s*y, center.Y + s*x + c*y})
	}
	return out
}

// ConvexOf returns a solid as a convex region, and whether it is one.
func ConvexOf(s Solid) (Convex, bool) {
	switch c := s.(type) {
	case Convex:
		return c, true
	case interface{ Convex() Convex }:
		return c.Convex(), true
	}
	return Convex{}, false
}

// IsConvex reports whether the vertices of p are finite, run counter-clockwise,
// turn left at every corner and go round once.
func (p Polygon) IsConvex() bool {
	if len(p) < 3 {
		return false
	}
	turn := 0.0
	for i, a := range p {
		b, c := p[(i+1)%len(p)], p[(i+2)%len(p)]
		if !a.IsFinite() || !(side(a, b, c) > 0) {
			return false
		}
		turn += math.Atan2(b.Sub(a).Cross(c.Sub(b)), b.Sub(a).Dot(c.Sub(b)))
	}
	return turn < 3*math.Pi // the turns of a simple convex polygon add up to 2π
}

// SignedDistance implements [Solid]: the distance to the core less the radius, and
// within a polygon the distance to the nearest edge.
func (c Convex) SignedDistance(p Vec2) (float64, Vec2) {
	if len(c.Core) > 2 && c.Core.Contains(p) {
		d, n := c.nearestFace(p)
		return d - c.Radius, n
	}
	best, foot := math.Inf(1), Vec2{}
	for i, a := range c.Core {
		q := (Segment{A: a, B: c.Core[(i+1)%len(c.Core)]}).Closest(p)
		if d := p.Dist(q); d < best {
			best, foot = d, q
		}
	}
	if best == 0 {
		return -c.Radius, c.normal()
	}
	return best - c.Radius, p.Sub(foot).Scale(1 / best)
}

// nearestFace returns the distance, negative, of a point of the core to the line of
// the nearest edge and the normal of that edge.
func (c Convex) nearestFace(p Vec2) (float64, Vec2) {
	best, normal := math.Inf(-1), Vec2{}
	for i, a := range c.Core {
		n := c.Core[(i+1)%len(c.Core)].Sub(a).Perp().Scale(-1).Unit()
		if d := n.Dot(p.Sub(a)); d > best {
			best, normal = d, n
		}
	}
	return best, normal
}

// normal is the gradient at a point of a core that has no inside.
func (c Convex) normal() Vec2 {
	if len(c.Core) < 2 || c.Core[0] == c.Core[1] {
		return Vec2{1, 0}
	}
	return c.Core[1].Sub(c.Core[0]).Perp().Scale(-1).Unit()
}

// Unit returns v at length one, and (1, 0) for the zero vector.
func (v Vec2) Unit() Vec2 {
	scale := max(math.Abs(v.X), math.Abs(v.Y))
	if scale == 0 {
		return Vec2{1, 0}
	}
	v = Vec2{v.X / scale, v.Y / scale}
	return v.Scale(1 / v.Norm())
}

// Bounds returns the smallest box around the region.
func (c Convex) Bounds() Box { return around(c.Core).Grow(c.Radius) }
