package dataset_test

import (
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/tensor"
)

// Two paths of three points are mapped to [-1, 1], channel by channel, and back.
func ExampleFitLimits() {
	x := tensor.New(2, 3, 2)
	copy(x.Data, []float32{0, 10, 1, 20, 2, 30, 4, 10, 3, 20, 2, 30})
	limits, err := dataset.FitLimits(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	limits.Normalize(x, x)
	fmt.Println(x.Sample(0))
	limits.Unnormalize(x, x, dataset.ClipNone)
	fmt.Println(x.Sample(1))
	// Output:
	// [-1 -1 -0.5 0 0 1]
	// [4 10 3 20 2 30]
}

// Windows of four rows of two episodes, which end before rows 5 and 9.
func ExampleNewWindows() {
	w, err := dataset.NewWindows([]int64{5, 9}, dataset.WindowOptions{Length: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range w.Len() {
		start, lo, hi := w.At(i)
		fmt.Println(start, lo, hi)
	}
	// Output:
	// 0 0 5
	// 1 0 5
	// 5 5 9
}
