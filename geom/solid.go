package geom

import "math"

// Solid is a closed region of the plane.
//
// SignedDistance returns the distance from p to the surface, negative inside,
// and its gradient at p.
type Solid interface {
	SignedDistance(p Vec2) (d float64, grad Vec2)
}

// Union is the union of solids; its distance is the smallest one. Outside the
// union this is the exact distance, inside overlapping solids a bound. The empty
// union is infinitely far away and has gradient zero. Of equally near solids the
// first one gives the gradient.
type Union []Solid

// SignedDistance implements [Solid].
func (u Union) SignedDistance(p Vec2) (float64, Vec2) {
	best, grad := math.Inf(1), Vec2{}
	for _, s := range u {
		if d, g := s.SignedDistance(p); d < best {
			best, grad = d, g
		}
	}
	return best, grad
}
