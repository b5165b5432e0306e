package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestClamp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, 8, 15, 16, 17, 31, 64, 1001} {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		x[n-1] = 0.5 // on the border
		want, outside := make([]float32, n), 0
		for i, v := range x {
			want[i] = min(max(v, -0.25), 0.5)
			if want[i] != v {
				outside++
			}
		}
		withKind(t, func(t *testing.T) {
			got := make([]float32, n)
			lowest, highest, out := Clamp(got, x, -0.25, 0.5)
			if !slices.Equal(got, want) || lowest != slices.Min(x) || highest != slices.Max(x) || out != outside {
				t.Errorf("n=%d: Clamp = %v, %v, %v and %v, want %v, %v, %v and %v", n,
					lowest, highest, out, got, slices.Min(x), slices.Max(x), outside, want)
			}
			copy(got, x)
			Clamp(got, got, -0.25, 0.5)
			if !slices.Equal(got, want) {
				t.Errorf("n=%d: in place %v, want %v", n, got, want)
			}
		})
	}
}

// Zeros are equal to a bound of zero, whatever their signs, and stay as they are
// wherever they stand.
func TestClampKeepsSignsOfZero(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	for _, bounds := range [][2]float32{{0, 1}, {negative, 1}, {-1, 0}, {-1, negative}} {
		x := make([]float32, 21)
		for i := range x {
			if i%2 == 0 {
				x[i] = negative
			}
		}
		withKind(t, func(t *testing.T) {
			got := make([]float32, len(x))
			if _, _, outside := Clamp(got, x, bounds[0], bounds[1]); outside != 0 {
				t.Errorf("%v: %d elements outside, want none", bounds, outside)
			}
			for i, v := range got {
				if math.Float32bits(v) != math.Float32bits(x[i]) {
					t.Errorf("%v: element %d is %v, want %v", bounds, i, v, x[i])
				}
			}
		})
	}
}
