package gaps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Beyond returns by how much box b lies beyond another one in one coordinate, and the direction
// of that coordinate: the largest of four, less than 0 where they overlap in both.
func Beyond(b, o geom.Box) (gap float64, n geom.Vec2) {
	gap = math.Inf(-1)
	for _, side := range [4]struct {
		n   geom.Vec2
		gap float64
	}{
		{geom.Vec2{X: 1}, b.Min.X - o.Max.X}, {geom.Vec2{X: -1}, o.Min.X - b.Max.X},
		{geom.Vec2{Y: 1}, b.Min.Y - o.Max.Y}, {geom.Vec2{Y: -1}, o.Min.Y - b.Max.Y},
	} {
		if side.gap > gap {
			gap, n = side.gap, side.n
		}
	}
	return gap, n
}

// Extent returns the largest coordinate within a box, in absolute value: what the rounding of
// coordinates is relative to.
func Extent(b geom.Box) float64 {
	return max(math.Abs(b.Min.X), math.Abs(b.Min.Y), math.Abs(b.Max.X), math.Abs(b.Max.Y))
}
