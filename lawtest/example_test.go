package lawtest_test

import (
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/tensor"
)

// A test of one's own cost is one call.
func ExampleCost() {
	testLaws := func(t *testing.T) { // TestLaws, say
		shape := tensor.Shape{8, 2}
		lawtest.Cost(t, cost.LogBarrier{Alpha: 0.5}, []tensor.Shape{shape, shape}, lawtest.CostOptions{})
	}
	_ = testLaws
}

// A test of one's own model is one call.
func ExampleDenoiser() {
	testLaws := func(t *testing.T) {
		m, err := analytic.NewGaussian(tensor.Shape{3}, []float64{1}, []float64{0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, m, lawtest.DenoiserOptions{})
	}
	_ = testLaws
}
