package nav2d_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

func TestMapByName(t *testing.T) {
	for _, m := range nav2d.Maps() {
		if got, err := nav2d.MapByName(strings.ToUpper(m.Name)); err != nil || got != m {
			t.Errorf("MapByName(%q) = %v, %v", strings.ToUpper(m.Name), got, err)
		}
	}
	_, err := nav2d.MapByName("highway")
	var unknown *nav2d.UnknownNameError
	if !errors.As(err, &unknown) || unknown.Nearest != "highways" || !strings.Contains(err.Error(), "conveyor") {
		t.Errorf("MapByName(highway) = %v, want a suggestion and the names", err)
	}
}

func TestNonFinitePointsAreOccupied(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, p := range [][2]float32{{nan, 0}, {0, nan}, {inf, 0}, {0, -inf}, {-inf, inf}} {
		if !nav2d.Empty().Occupied(p[0], p[1], 0.05) {
			t.Errorf("Occupied(%v) = false", p)
		}
	}
	if nav2d.Empty().Occupied(1.02, -1.02, 0.05) || !nav2d.Empty().Occupied(1.04, 0, 0.05) {
		t.Error("the boundary does not stand 0.08 outside the workspace")
	}
}

func TestPathFreeNeedsTheWorkspace(t *testing.T) {
	path := []geom.Vec2{{X: 0}, {X: 0.5}, {X: 1}}
	if !nav2d.Empty().PathFree(path, nav2d.RobotRadius) {
		t.Error("a path to the edge of the workspace is not free")
	}
	path[2].X = 1.001
	if nav2d.Empty().PathFree(path, nav2d.RobotRadius) {
		t.Error("a path that leaves the workspace is free")
	}
}

func TestCollisionCostShapes(t *testing.T) {
	c := nav2d.ObstacleCost{Map: nav2d.Highways(), Margin: 0.1}
	var shape *nav2d.ShapeError
	for _, shapes := range [][]tensor.Shape{nil, {{64}}, {{64, 1}}, {{64, 4}, {64, 4}}} {
		if err := c.Check(shapes); !errors.As(err, &shape) {
			t.Errorf("Check(%v) = %v, want a ShapeError", shapes, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Add(ctx, nil, nil, []tensor.Batch{tensor.New(1, 64, 4)}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled Add = %v", err)
	}
}

// Costs add to what is there, and leave the first waypoint and the velocities
// alone.
func TestCollisionCostAdds(t *testing.T) {
	x := tensor.New(2, 3, 4) // three waypoints at the centre of the central block
	x.Data[4], x.Data[5] = 0.2, 0.01
	value, grad := []float64{5, 5}, tensor.New(2, 3, 4)
	c := nav2d.ObstacleCost{Map: nav2d.Highways(), Margin: 0.1}
	if err := c.Add(context.Background(), value, []tensor.Batch{grad}, []tensor.Batch{x}, 2); err != nil {
		t.Fatal(err)
	}
	d := func(x, y float32) float64 { return float64(nav2d.Highways().Grid().Distance(x, y)) }
	if want := 5 + 2*(0.1-d(0.2, 0.01)+0.1-d(0, 0)); math.Abs(value[0]-want) > 1e-6 {
		t.Errorf("value = %v, want %v", value[0], want)
	}
	if grad.Data[0] != 0 || grad.Data[4] != -2 || grad.Data[6] != 0 {
		t.Errorf("gradient = %v, want -2 at x of waypoint 1", grad.Data[:12])
	}
}
