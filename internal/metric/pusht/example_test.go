package pusht_test

import (
	"fmt"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/metric/pusht"
)

// Two plans side by side, 51.2 px apart: a fifth of the half range.
func ExampleJudge() {
	var pair pusht.Pair
	for k := range pusht.Segment {
		x := 100 + 10*float64(k)
		for m, y := range []float64{200, 251.2} {
			at := geom.Vec2{X: x, Y: y}
			pair[m].Actions = append(pair[m].Actions, at)
			pair[m].Agent = append(pair[m].Agent, at)
			pair[m].Rewards = append(pair[m].Rewards, 0.1*float64(k))
		}
	}
	s, err := pusht.Judge(pair, []float64{3, 6.2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("distance %.2f, completion %.1f, within the limits %v\n", s.DFD, s.Completion, s.Within)
	// Output: distance 0.20, completion [0.7 0.7], within the limits [[0 0] [1 1]]
}
