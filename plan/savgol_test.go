package plan

import (
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
)

func TestReferenceSmoothing(t *testing.T) {
	g := golden.Open(t, "testdata/savgol.npz")
	f := newSavitzkyGolay(smoothingWindow)
	golden.Close(t, "weights", f.middle, g.Float64("coefficients"), 1e-13, 0) // symmetric: their order does not matter
	x := g.Float32("trajs")
	wide := g.Float64("trajs")
	got, gotWide := make([]float32, len(x)), make([]float64, len(x))
	const size = 64 * channels
	for at := 0; at < len(x); at += size {
		smooth(f, got[at:at+size], x[at:at+size], channels)
		smooth(f, gotWide[at:at+size], wide[at:at+size], channels)
	}
	golden.Close(t, "smoothed", got, g.Float32("smoothed"), 1e-5, 0)
	golden.Close(t, "smoothed in float64", gotWide, g.Float64("smoothed_float64"), 1e-12, 0)
}

// A parabola is its own best fit: an odd window leaves it alone, an even one
// advances it by half a step, except at the ends.
func TestSmoothingKeepsParabolas(t *testing.T) {
	parabola := func(h float64) float64 { return 3 - 2*h + 0.25*h*h }
	for _, window := range []int{3, 5, 9, 10, 12} {
		f := newSavitzkyGolay(window)
		for _, n := range []int{window, window + 1, 30} {
			x, want := make([]float64, n), make([]float64, n)
			half := window / 2
			for h := range x {
				x[h] = parabola(float64(h))
				want[h] = x[h]
				if window%2 == 0 && h >= half && h < n-half {
					want[h] = parabola(float64(h) + 0.5)
				}
			}
			got := make([]float64, n)
			smooth(f, got, x, 1)
			golden.Close(t, "parabola", got, want, 1e-10, 0)
		}
	}
}
