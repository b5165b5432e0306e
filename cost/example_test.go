package cost_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// Three robots pay for every pair that is nearer than 1, and are pushed apart.
func ExamplePairwise() {
	var x, grad []tensor.Batch
	for _, at := range []float32{0, 0.5, 3} {
		b := tensor.New(1, 1, 2) // one waypoint
		b.Data[0] = at
		x, grad = append(x, b), append(grad, tensor.New(1, 1, 2))
	}
	value := make([]float64, 1)
	if err := cost.Pairwise(cost.Hinge{Range: 1}).Add(context.Background(), value, grad, x, 1); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(value[0], grad[0].Data[0], grad[1].Data[0], grad[2].Data[0])
	// Output: 0.25 1 -1 0
}
