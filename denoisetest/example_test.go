package denoisetest_test

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoisetest"
	"github.com/go-pcd/pcd/tensor"
)

// A test of one's own model is one call; here it is run without the go command.
func ExampleRun() {
	test := func(t *testing.T) {
		m, err := denoise.NewGaussian(tensor.Shape{3}, []float64{1}, []float64{0.5}, nil)
		if err != nil {
			t.Fatal(err)
		}
		denoisetest.Run(t, m, denoisetest.Options{})
	}
	all := func(string, string) (bool, error) { return true, nil }
	fmt.Println(testing.RunTests(all, []testing.InternalTest{{Name: "TestLaws", F: test}}))
	// Output: true
}
