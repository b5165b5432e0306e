package lawtest_test

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/tensor"
)

// A test of one's own cost is one call; here it is run without the go command.
func ExampleCost() {
	test := func(t *testing.T) {
		shape := tensor.Shape{8, 2}
		lawtest.Cost(t, cost.LogBarrier{Alpha: 0.5}, []tensor.Shape{shape, shape}, lawtest.CostOptions{})
	}
	all := func(string, string) (bool, error) { return true, nil }
	fmt.Println(testing.RunTests(all, []testing.InternalTest{{Name: "TestLaws", F: test}}))
	// Output: true
}

// A test of one's own model is one call; here it is run without the go command.
func ExampleDenoiser() {
	test := func(t *testing.T) {
		m, err := analytic.NewGaussian(tensor.Shape{3}, []float64{1}, []float64{0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, m, lawtest.DenoiserOptions{})
	}
	all := func(string, string) (bool, error) { return true, nil }
	fmt.Println(testing.RunTests(all, []testing.InternalTest{{Name: "TestLaws", F: test}}))
	// Output: true
}
