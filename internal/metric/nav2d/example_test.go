package nav2d_test

import (
	"fmt"

	env "github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/tensor"
)

// Two robots that cross at the second of three waypoints.
func ExampleCriteria_Judge() {
	c := nav2d.Criteria{World: env.Empty(), Radii: []float64{0.05, 0.05}, HalfRange: [2]float64{1, 1}, Step: 1}
	along, across := tensor.New(1, 3, 2), tensor.New(1, 3, 2)
	copy(along.Data, []float32{-0.5, 0, 0, 0, 0.5, 0})
	copy(across.Data, []float32{0, -0.5, 0, 0, 0, 0.5})
	samples, err := c.Judge([]tensor.Batch{along, across})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := samples[0]
	fmt.Println(s.Safe(), s.Contacts, s.Clear(), s.TopSpeed)
	// Output: false 1 true [0.5 0.5]
}
