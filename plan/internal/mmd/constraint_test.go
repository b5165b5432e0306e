package mmd

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/tensor"
)

// referenceCost is the value that the reference gives a Constraint: it also counts
// the radius for every waypoint outside of a disk, and evaluates those outside of
// its time at the origin.
func referenceCost(c Constraint, x tensor.Batch) float64 {
	sum := 0.0
	for _, d := range c.Disks {
		for k := range x.N {
			for h, p := range geom.Points(nil, x.Sample(k), 2) {
				if h < d.From || h >= d.To {
					p = geom.Vec2{}
				}
				if distance := p.Dist(d.Center); distance <= d.Radius {
					sum += d.Radius - distance
				} else {
					sum += d.Radius
				}
			}
		}
	}
	return sum
}

func TestReferenceConstraintCosts(t *testing.T) {
	g := golden.Open(t, "testdata/constraint_costs.npz")
	states, err := tensor.Of(g.Float32("y"), 64, Channels)
	if err != nil {
		t.Fatal(err)
	}
	x := tensor.New(states.N, 64, 2)
	for w := range states.N * 64 {
		copy(x.Data[2*w:2*w+2], states.Data[Channels*w:])
	}
	for object := range 4 {
		centers, ranges := geom.Points(nil, g.Float32(fmt.Sprint("centers_", object)), 2), g.Ints(fmt.Sprint("ranges_", object))
		var c Constraint
		for k, q := range centers {
			c.Disks = append(c.Disks, Disk{q, 0.12, ranges[2*k], ranges[2*k+1]})
		}
		value, grad := make([]float64, x.N), tensor.New(x.N, 64, 2)
		if err := newConstraintCost(c, 64).Add(context.Background(), value, []tensor.Batch{grad}, []tensor.Batch{x}, 1); err != nil {
			t.Fatal(err)
		}
		total := value[0] + value[1] + value[2] + value[3]
		golden.Close(t, fmt.Sprint("cost ", object), []float64{total}, g.Float64(fmt.Sprint("cost_inside_", object)), 1e-5, 1e-4)
		golden.Close(t, fmt.Sprint("reference cost ", object), []float64{referenceCost(c, x)}, g.Float64(fmt.Sprint("cost_reference_", object)), 1e-5, 1e-4)
		golden.Close(t, fmt.Sprint("gradient ", object), grad.Data, g.Float32(fmt.Sprint("grad_", object)), 1e-5, 1e-4)
	}
}

// The reference has a smoothness cost beside the constraints, with weight 0.
func TestReferenceSmoothnessCost(t *testing.T) {
	g := golden.Open(t, "testdata/constraint_costs.npz")
	x, err := tensor.Of(g.Float32("y"), 64, Channels)
	if err != nil {
		t.Fatal(err)
	}
	value, grad := make([]float64, x.N), tensor.New(x.N, x.Shape...)
	c := cost.ConstantVelocity{Step: nav2d.Step}
	if err := c.Add(context.Background(), value, []tensor.Batch{grad}, []tensor.Batch{x}, 1); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "cost", value, g.Float32("gp_cost"), 1e-5, 1e-3)
	golden.Close(t, "gradient", grad.Data, g.Float32("gp_grad"), 1e-5, 1e-4)
}

func TestConstraintCostKeepsTheLaws(t *testing.T) {
	c := Constraint{Disks: []Disk{
		{geom.Vec2{X: 0.2, Y: 0.1}, 0.9, 0, 4}, {geom.Vec2{X: -0.5, Y: 0.3}, 1.1, 2, 8}, {geom.Vec2{X: 0.4}, 0.5, -3, 20},
	}}
	lawtest.Cost(t, newConstraintCost(c, 8), []tensor.Shape{{8, 3}}, lawtest.CostOptions{Step: 1.0 / (1 << 16), Tolerance: 1e-2})
}

func TestConstraintCostAtACentreIsFlat(t *testing.T) {
	c := Constraint{Disks: []Disk{{geom.Vec2{X: 0.25, Y: 0.5}, 0.12, 0, 1}}}
	x, err := tensor.Of([]float32{0.25, 0.5}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	value, grad := make([]float64, 1), tensor.New(1, 1, 2)
	if err := newConstraintCost(c, 1).Add(context.Background(), value, []tensor.Batch{grad}, []tensor.Batch{x}, 2); err != nil {
		t.Fatal(err)
	}
	if value[0] != 0.24 || grad.Data[0] != 0 || grad.Data[1] != 0 {
		t.Errorf("value %v, gradient %v at the centre, want 0.24 and 0", value, grad.Data)
	}
}

func TestConstraintCostRefusesOtherShapes(t *testing.T) {
	for _, shapes := range [][]tensor.Shape{{{7, 2}}, {{8, 1}}, {{8}}, {{8, 2}, {8, 2}}, nil} {
		var bad *cost.ShapeError
		if err := newConstraintCost(Constraint{}, 8).Check(shapes); !errors.As(err, &bad) {
			t.Errorf("Check(%v) = %v, want a ShapeError", shapes, err)
		}
	}
}
