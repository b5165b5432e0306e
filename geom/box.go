package geom

import "math"

// Box is an axis-aligned rectangle given by two corners.
type Box struct{ Min, Max Vec2 }

// Size returns width and height.
func (b Box) Size() Vec2 { return b.Max.Sub(b.Min) }

// Center returns the middle of the box.
func (b Box) Center() Vec2 { return b.Min.Lerp(b.Max, 0.5) }

// Grow returns the box with every side moved outwards by d.
func (b Box) Grow(d float64) Box {
	return Box{Vec2{b.Min.X - d, b.Min.Y - d}, Vec2{b.Max.X + d, b.Max.Y + d}}
}

// Join returns the smallest box around both.
func (b Box) Join(o Box) Box {
	return Box{Vec2{min(b.Min.X, o.Min.X), min(b.Min.Y, o.Min.Y)}, Vec2{max(b.Max.X, o.Max.X), max(b.Max.Y, o.Max.Y)}}
}

// around returns the smallest box around points.
func around(points []Vec2) Box {
	b := Box{points[0], points[0]}
	for _, p := range points[1:] {
		b = b.Join(Box{p, p})
	}
	return b
}

// Contains reports whether p lies in the closed box.
func (b Box) Contains(p Vec2) bool {
	return p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y
}

// SignedDistance implements [Solid].
func (b Box) SignedDistance(p Vec2) (float64, Vec2) {
	return RoundedBox{Center: b.Center(), Size: b.Size()}.SignedDistance(p)
}

// RoundedBox is an axis-aligned rectangle whose corners are circular arcs. Size
// is the outer width and height; Radius, at most half the smaller of them, is
// that of the arcs, and 0 makes the corners sharp.
type RoundedBox struct {
	Center, Size Vec2
	Radius       float64
}

// SignedDistance implements [Solid]: with q = |p - c| - size/2 + r, the distance
// is min(max(q_x, q_y), 0) + |max(q, 0)| - r. Inside, where two faces are equally
// near, the gradient is the mean of both normals, as automatic differentiation
// of this formula has it; it then has length 1/√2.
//
// Source: Quilez, "2D distance functions"; the published maps use radius
// 0.15 min(width, height).
func (b RoundedBox) SignedDistance(p Vec2) (float64, Vec2) {
	qx, sx := foldedOffset(p.X-b.Center.X, b.Size.X, b.Radius)
	qy, sy := foldedOffset(p.Y-b.Center.Y, b.Size.Y, b.Radius)
	switch {
	case qx > 0 && qy > 0:
		d := math.Sqrt(qx*qx + qy*qy)
		return d - b.Radius, Vec2{sx * qx / d, sy * qy / d}
	case qx > qy:
		return qx - b.Radius, Vec2{sx, 0}
	case qy > qx:
		return qy - b.Radius, Vec2{0, sy}
	default:
		return qx - b.Radius, Vec2{sx / 2, sy / 2}
	}
}

// foldedOffset maps an offset from the centre to the positive half axis, relative
// to the centre of the corner arc, and returns the sign that unfolds it.
func foldedOffset(offset, size, radius float64) (q, sign float64) {
	return math.Abs(offset) - size/2 + radius, math.Copysign(1, offset)
}
