package geom

import "math"

// Vec2 is a point or a vector of the plane.
type Vec2 struct{ X, Y float64 }

// Add returns v + w.
func (v Vec2) Add(w Vec2) Vec2 { return Vec2{v.X + w.X, v.Y + w.Y} }

// Sub returns v - w.
func (v Vec2) Sub(w Vec2) Vec2 { return Vec2{v.X - w.X, v.Y - w.Y} }

// Scale returns s v.
func (v Vec2) Scale(s float64) Vec2 { return Vec2{s * v.X, s * v.Y} }

// Dot returns the inner product.
func (v Vec2) Dot(w Vec2) float64 { return v.X*w.X + v.Y*w.Y }

// Cross returns the third component of the vector product: positive when w lies
// counter-clockwise of v.
func (v Vec2) Cross(w Vec2) float64 { return v.X*w.Y - v.Y*w.X }

// Norm returns the Euclidean length.
func (v Vec2) Norm() float64 { return math.Sqrt(v.X*v.X + v.Y*v.Y) }

// Dist returns the distance between two points.
func (v Vec2) Dist(w Vec2) float64 { return v.Sub(w).Norm() }

// Lerp returns the point at fraction t of the way from v to w.
func (v Vec2) Lerp(w Vec2, t float64) Vec2 { return Vec2{v.X + t*(w.X-v.X), v.Y + t*(w.Y-v.Y)} }

// Perp returns v turned by a right angle, counter-clockwise.
func (v Vec2) Perp() Vec2 { return Vec2{-v.Y, v.X} }

// IsFinite reports whether both coordinates are finite.
func (v Vec2) IsFinite() bool { return v.X-v.X == 0 && v.Y-v.Y == 0 }

// Points writes the points of an array of float32 rows, of which x and y are the
// first two of stride columns, to dst and returns it.
func Points(dst []Vec2, rows []float32, stride int) []Vec2 {
	dst = dst[:0]
	for i := 0; i+stride <= len(rows); i += stride {
		dst = append(dst, Vec2{float64(rows[i]), float64(rows[i+1])})
	}
	return dst
}
