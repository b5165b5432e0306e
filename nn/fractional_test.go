package nn

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/tensor"
)

// TestRealTimesteps asks networks at whole timesteps in both ways, and between them, where
// predictions lie between those of both sides and the laws hold.
func TestRealTimesteps(t *testing.T) {
	for name, m := range models(t, 2) {
		at := func(when float64) denoise.Denoiser { return m.(denoise.Fractional).At(when) }
		x := gaussians(3, m.Shape()...)
		predict := func(m denoise.Denoiser, when int) []float32 {
			t.Helper()
			dst := tensor.New(x.N, x.Shape...)
			if err := m.Predict(t.Context(), dst, x, when); err != nil {
				t.Fatal(err)
			}
			return dst.Data
		}
		seven, between, eight := predict(m, 7), predict(at(7.5), 0), predict(m, 8)
		outside := 0
		for j, v := range predict(at(7), 3) {
			if math.Float32bits(v) != math.Float32bits(seven[j]) {
				t.Fatalf("%s: at 7.0 element %d is %v, want %v", name, j, v, seven[j])
			}
			lo, hi := min(seven[j], eight[j]), max(seven[j], eight[j])
			if margin := 0.2 * (hi - lo); between[j] < lo-margin || between[j] > hi+margin {
				outside++
			}
		}
		if outside > len(seven)/4 {
			t.Errorf("%s: %d of %d elements at 7.5 are not between those at 7 and 8", name, outside, len(seven))
		}
		lawtest.Denoiser(t, at(7.5), lawtest.DenoiserOptions{Timesteps: []int{0}, Step: 1e-2})
		if err := at(-0.5).Predict(t.Context(), x.Clone(), x, 0); err == nil {
			t.Errorf("%s: a negative timestep gives no error", name)
		}
	}
}
