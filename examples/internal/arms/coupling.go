package main

import (
	"context"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// hands is a cost of two plans of joint angles, as their policies draw them: a cost of the
// paths of the hands, pulled back through the kinematics.
type hands struct {
	robots [2]*robot
	cost   cost.Cost // of two paths [steps, 2] in metres
}

// Check implements [cost.Cost].
func (c hands) Check(shapes []tensor.Shape) error {
	paths := make([]tensor.Shape, len(shapes))
	for i, s := range shapes {
		if len(s) != 2 || s[1] != joints {
			return &cost.ShapeError{Cost: "hands", Shapes: shapes, Want: "plans of joint angles"}
		}
		paths[i] = tensor.Shape{s[0], 2}
	}
	return c.cost.Check(paths)
}

// Add implements [cost.Cost].
func (c hands) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	var paths, slopes []tensor.Batch
	for i, b := range x {
		p := tensor.New(b.N, b.Shape[0], 2)
		for k := range len(b.Data) / joints {
			h := c.robots[i].arm.hand(c.robots[i].angles(b.Data[k*joints:][:joints]))
			p.Data[2*k], p.Data[2*k+1] = float32(h[0]), float32(h[1])
		}
		paths = append(paths, p)
		if grad != nil {
			slopes = append(slopes, tensor.New(b.N, b.Shape[0], 2))
		}
	}
	if err := c.cost.Add(ctx, value, slopes, paths, weight); err != nil || grad == nil {
		return err
	}
	for i, b := range x {
		r := c.robots[i]
		for k := range len(b.Data) / joints {
			d := [2]float64{float64(slopes[i].Data[2*k]), float64(slopes[i].Data[2*k+1])}
			for j, g := range r.arm.pull(r.angles(b.Data[k*joints:][:joints]), d) {
				grad[i].Data[k*joints+j] += float32(g * r.scale[j])
			}
		}
	}
	return nil
}
