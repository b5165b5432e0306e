// Package ulp finds the float32 numbers next to a number: the units in the last
// place by which projections move what they round.
package ulp

import "math"

var inf = float32(math.Inf(1))

// Cell returns the float32 numbers around v, low <= v <= high.
func Cell(v float64) (low, high float32) {
	f := float32(v)
	switch {
	case float64(f) > v:
		return math.Nextafter32(f, -inf), f
	case float64(f) < v:
		return f, math.Nextafter32(f, inf)
	}
	return f, f
}

// Between returns v rounded to the side of c, which it does not pass.
func Between(v float64, c float32) float32 {
	low, high := Cell(v)
	if v > float64(c) {
		return low
	}
	return high
}

// Towards returns the float32 number next to f on the side of g.
func Towards(f, g float32) float32 {
	switch {
	case f == g:
		return f
	case f == 0:
		return math.Nextafter32(f, g)
	case f > g == (f > 0):
		return math.Float32frombits(math.Float32bits(f) - 1)
	}
	return math.Float32frombits(math.Float32bits(f) + 1)
}

// Finite returns the float32 number nearest to v, the largest ones for what lies
// beyond.
func Finite(v float64) float32 {
	return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32))
}
