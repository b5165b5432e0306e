package teams_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment/teams"
	"github.com/go-pcd/pcd/plan"
)

// The plans of one trial are certified, and the second judge has no other opinion.
func ExampleMeasure() {
	spec := teams.DefaultSpec()
	spec.Maps, spec.Robots, spec.Trials = []string{"highways"}, []int{8}, 1
	rows, err := teams.Measure(context.Background(), spec, plan.Bundled, 0, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := rows[0]
	fmt.Printf("%d robots on %s: %d of %d certified, %d disputed\n", r.Robots, r.Map, r.Certified.Count, r.Trials, r.Disagree)
	// Output: 8 robots on highways: 1 of 1 certified, 0 disputed
}
