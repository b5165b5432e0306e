package gaps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// RoundingOf bounds the rounding, coordinate by coordinate and both added up, of the points
// of [geom.Curve.Span] of span h and of those that [geom.Bezier.Halves] makes of them, three times
// over. Points of the difference of two curves are off by no more than the sum of both.
func RoundingOf(c geom.Curve, h int) float64 {
	const units = 0x1p-48 // 32 roundings: 3 for a point, 1 for a difference, 6 for each halving
	size := 0.0
	for k := h; k <= h+1; k++ {
		x, v := c.X[k], c.V[k]
		size += math.Abs(x.X) + math.Abs(x.Y) + c.Step*(math.Abs(v.X)+math.Abs(v.Y))
	}
	return units * size
}
