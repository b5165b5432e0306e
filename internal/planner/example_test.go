package planner_test

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/internal/planner"
)

// A request is plain values, as a service reads them from JSON.
func ExampleDo() {
	scene := `
units: m
duration: 8
bounds: {min: [0, 0], max: [10, 10]}
robots:
  - {name: ada, start: [1, 3], goal: [9, 3], radius: 0.4, speed: 3}
  - {name: bob, start: [1, 7], goal: [9, 7], radius: 0.4, speed: 3}
`
	request := planner.PlanRequest{Task: "two carts", Scene: &scene, Samples: new(4)}
	outcome, err := planner.Do(context.Background(), &planner.PlanTask{Request: request}, planner.Watch{}, nil)
	if err != nil {
		fmt.Println(planner.ClassOf(err) == planner.Usage, err)
		return
	}
	s := outcome.Summary
	fmt.Println(s.Status, len(s.Robots), "robots,", *s.Robots[0].Limit, s.Units.Speed, "certified:", s.Plan != nil)
	// Output: finished 2 robots, 3 m/s certified: true
}
