package tensor_test

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Two paths of two waypoints in the plane; a view keeps the numbers of its samples.
func ExampleBatch() {
	b, err := tensor.Of([]float32{0, 0, 1, 0, 5, 5, 6, 5}, 2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	b.First = 100
	second := b.Rows(1, 2)
	fmt.Println(b.N, b.Shape, second.First, second.Sample(0))
	// Output: 2 [2 2] 101 [5 5 6 5]
}
