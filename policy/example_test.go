package policy_test

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/policy"
)

// A robot asks its policy what to do next, and is told nothing that it may not do.
func ExampleActor() {
	p, err := policy.Open("testdata/lerobot/c_env", policy.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	limits := policy.Limits{Min: []float64{0, 0}, Max: []float64{512, 512}, Groups: [][]int{{0, 1}}, Speed: []float64{20}, Acceleration: []float64{8}}
	robot, err := policy.NewActor(p, policy.Sampling{Scheduler: "DDIM", Steps: 10, Seed: 7}, &limits)
	if err != nil {
		fmt.Println(err)
		return
	}
	start := []float32{256, 256}
	if err := robot.Start(start); err != nil {
		fmt.Println(err)
		return
	}
	seen := policy.Observation{Vectors: map[string][]float32{
		"observation.state":             {256, 256, 0},
		"observation.environment_state": make([]float32, 16),
	}}
	var commands []float32
	for range 6 {
		command, err := robot.Act(context.Background(), seen)
		if err != nil {
			fmt.Println(err)
			return
		}
		commands = append(commands, command...)
	}
	certificate, err := limits.Certify(start, commands)
	fmt.Println(robot.Plans(), "plans,", certificate.Commands, "commands, certified:", certificate.Certified, err)
	fmt.Println("first step:", math.Hypot(float64(commands[0])-256, float64(commands[1])-256) <= 8)
	// Output:
	// 2 plans, 6 commands, certified: true <nil>
	// first step: true
}
