package project_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// A robot that starts at the origin and moves at most 1 per step.
func ExampleSpeedLimit() {
	start := tensor.New(1, 2)
	limit, err := project.NewSpeedLimit(1, project.Path{Start: start})
	if err != nil {
		fmt.Println(err)
		return
	}
	path, err := tensor.Of([]float32{0.5, 0, 3, 0, 3, 0}, 3, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := limit.Project(context.Background(), path, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for h := range 3 {
		fmt.Printf("(%.3f, %.3f)\n", path.Data[2*h], path.Data[2*h+1])
	}
	fmt.Println(report.Status, report.ViolationAfter <= 0)
	// Output:
	// (1.000, 0.000)
	// (2.000, 0.000)
	// (3.000, 0.000)
	// converged true
}

// A goal that cannot be reached is an error that says by how much.
func ExampleInfeasibleError() {
	goal, _ := tensor.Of([]float32{6, 8}, 2)
	limit, err := project.NewSpeedLimit(2, project.Path{Start: tensor.New(1, 2), Goal: goal})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := tensor.New(1, 4, 2)
	_, err = limit.Project(context.Background(), path, path)
	fmt.Println(errors.Is(err, project.ErrInfeasible))
	fmt.Println(err)
	// Output:
	// true
	// project: speed-limited path of sample 0 is infeasible by 2: the goal is 10 from the start and 4 steps of 2 reach 8
}

// The point of a triangle that is nearest to (3, 3).
func ExampleNewIntersection() {
	box, _ := project.NewInterval(0, 2)
	plane, _ := project.NewHalfSpace([]float64{1, 1}, 3)
	set, err := project.NewIntersection(project.IntersectionOptions{}, box, plane)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _ := tensor.Of([]float32{3, 3, -1, 5}, 2)
	report, err := set.Project(context.Background(), x, x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Data, report.Status)
	// Output: [1.5 1.5 0 2] converged
}
