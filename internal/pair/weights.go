package pair

import (
	"math"
	"slices"
)

// grain is the unit of stored weights: they are multiples of 2^-24, which float32 has
// exactly up to 1, and so has every sum of them. The sum of the weights of an image is
// then 1 without rounding, in whatever order they are added.
const grain = 0x1p-24

// store writes weights of a convex combination to dst as multiples of the grain whose
// sum is 1: rounded down, with what is missing given to those that lost most.
func store(dst []float32, w []float64) {
	units, order := make([]int64, len(w)), make([]int, len(w))
	left := int64(1 / grain)
	for i, v := range w {
		units[i] = int64(math.Floor(min(max(v, 0), 1) / grain))
		left -= units[i]
		order[i] = i
	}
	loss := func(i int) float64 { return w[i]/grain - float64(units[i]) }
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := loss(a), loss(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	for ; left > 0; left-- {
		units[order[0]]++
		order = append(order[1:], order[0])
	}
	for ; left < 0; left++ { // of weights whose sum was rounded up
		units[slices.Index(units, slices.Max(units))]--
	}
	for i, n := range units {
		dst[i] = float32(float64(n) * grain)
	}
}
