// Package geom holds the plane geometry of the environments: points, solids with
// signed distances, segments, convex polygons, and curves with the time at which they
// are where.
//
// Distances are positive outside a solid, negative inside and zero on its
// surface. Every distance comes with its gradient, a unit vector that points
// away from the solid. Where the gradient is not defined (on the medial axis, at
// the centre of a circle) it is the documented element of the sub-differential,
// never a zero that would leave a point stuck, and never NaN.
//
// A [Curve] is a motion on the clock, cubic from knot to knot; [Bezier] is one span of
// it by the four points whose hull holds it.
//
// Everything is float64. Values are small and copied; functions that return polygons write to dst
// first, and a nil dst allocates.
package geom
