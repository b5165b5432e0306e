package plan_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// Two robots cross the empty map. The plan is repaired until it is certified in
// continuous time. The models that ship are those of package plan/bundled, which a
// program imports for its side effect.
func ExampleRun() {
	m := nav2d.Empty()
	trials, err := nav2d.Trials(m, 2, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := plan.Run(context.Background(), plan.TeamOfTrial(m, trials[0], nil, 0.7), plan.Options{})
	switch {
	case err != nil:
		fmt.Println(err)
	case result.Plan == nil:
		fmt.Println(result.Refusal)
	default:
		fmt.Println(len(result.Plan.Trajectories), "paths, certified:", result.Plan.Certificate.Certified)
	}
	// Output: 2 paths, certified: true
}
