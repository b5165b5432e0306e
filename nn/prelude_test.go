package nn

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// TestTimestepsAreForgotten asks for more timesteps than are kept, and for one again
// after the parameters have changed.
func TestTimestepsAreForgotten(t *testing.T) {
	n := newConditional(t, ConditionalUNet1DConfig{TimeDim: 16, DownDims: []int{8, 8, 16}})
	n.Init(noise.New(1))
	x, condition := gaussians(2, 16, 2), gaussians(2, 40)
	predict := func(step int) []float32 {
		t.Helper()
		dst := tensor.New(2, 16, 2)
		if err := bind(t, n, condition).Predict(t.Context(), dst, x, step); err != nil {
			t.Fatal(err)
		}
		return dst.Data
	}
	first := predict(0)
	for step := range 2 * stepsKept {
		predict(step)
	}
	if got := len(n.plans[key{purpose: predicting}].prelude.steps); got != stepsKept {
		t.Errorf("%d timesteps are kept, want %d", got, stepsKept)
	}
	if !slices.Equal(predict(0), first) {
		t.Error("a timestep that was dropped gives other bits")
	}
	for _, p := range n.Params() {
		if p.Name == "diffusion_step_encoder.3.bias" {
			p.Data[0]++
		}
	}
	n.Refresh()
	if slices.Equal(predict(0), first) {
		t.Error("the prediction is that of the parameters before they changed")
	}
}
