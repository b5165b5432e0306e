package analytic_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/tensor"
)

// The score of a normal distribution points to its mean.
func ExampleNewGaussian() {
	shape := tensor.Shape{1}
	m, err := analytic.NewGaussian(shape, []float64{4}, []float64{0.5}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, score := tensor.New(3, shape...), tensor.New(3, shape...)
	copy(x.Data, []float32{3, 4, 5})
	if err := m.Predict(context.Background(), score, x, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(score.Data)
	// Output: [2 0 -2]
}
