package nav2d

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// GuideMargin returns the distance that the published guidance keeps from
// obstacles for a robot of the given radius: 1.1 radius + 0.05.
func GuideMargin(radius float64) float64 { return 1.1*radius + 0.05 }

// ObstacleCost is the hinge Σ max(0, Margin - d(p_h)) over the waypoints 1, 2, …
// of a trajectory, d being the sampled distance to the obstacles. It is a cost of
// one variable of shape [waypoints, channels] whose first two channels are the
// unnormalised position; the other channels get no gradient. At the hinge the
// sub-gradient is zero.
//
// Source: the collision field of MPD (Carvalho et al., IROS 2023) as used by PCD.
type ObstacleCost struct {
	Map    *Map
	Margin float64
	// Squared halves and squares the hinge of each waypoint: its gradient falls
	// towards the margin, where that of the hinge does not and steps go to and fro.
	Squared bool
}

// Check implements the cost contract.
func (c ObstacleCost) Check(shapes []tensor.Shape) error {
	return checkTrajectory("obstacle cost", shapes)
}

// Add implements the cost contract.
func (c ObstacleCost) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	margin, grid := float32(c.Margin), c.Map.grid()
	return addOverWaypoints(ctx, value, grad, x, weight, func(px, py float32) (v, gx, gy float32) {
		d, gx, gy := grid.At(px, py)
		if d >= margin {
			return 0, 0, 0
		}
		return hinge(margin-d, -gx, -gy, c.Squared)
	})
}

// BoundaryCost is the hinge Σ max(0, Margin - d) over the waypoints 1, 2, … of a
// trajectory, d being the distance to the nearest edge of the workspace, taken 0.08
// farther out than it is, also in scenes. Variables are those of [ObstacleCost].
type BoundaryCost struct {
	Map     *Map
	Margin  float64
	Squared bool // as in [ObstacleCost]
}

// hinge returns value and gradient of a positive hinge, or of half its square.
func hinge(h, gx, gy float32, squared bool) (v, hx, hy float32) {
	if squared {
		return h * h / 2, h * gx, h * gy
	}
	return h, gx, gy
}

// Check implements the cost contract.
func (c BoundaryCost) Check(shapes []tensor.Shape) error {
	return checkTrajectory("boundary cost", shapes)
}

// sideNormals point inwards from the sides in the order of the distances.
var sideNormals = [4][2]float32{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}

// Add implements the cost contract.
func (c BoundaryCost) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	margin := float32(c.Margin)
	return addOverWaypoints(ctx, value, grad, x, weight, func(px, py float32) (v, gx, gy float32) {
		for side, d := range distances(c.Map.guides, px, py) {
			if margin-d > v {
				v, gx, gy = margin-d, -sideNormals[side][0], -sideNormals[side][1]
			}
		}
		return hinge(v, gx, gy, c.Squared)
	})
}

func checkTrajectory(what string, shapes []tensor.Shape) error {
	if len(shapes) != 1 || len(shapes[0]) != 2 || shapes[0][1] < 2 {
		return &shapeError{What: what, Got: shapes}
	}
	return nil
}

// addOverWaypoints adds a cost per position, summed over all waypoints but the
// first.
func addOverWaypoints(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64,
	field func(x, y float32) (v, gx, gy float32)) error {
	channels := x[0].Shape[1]
	for row := range x[0].N {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := x[0].Sample(row)
		sum := 0.0
		for at := channels; at < len(path); at += channels {
			v, gx, gy := field(path[at], path[at+1])
			sum += float64(v)
			if grad != nil && v > 0 {
				g := grad[0].Sample(row)
				g[at] += float32(weight * float64(gx))
				g[at+1] += float32(weight * float64(gy))
			}
		}
		if value != nil {
			value[row] += weight * sum
		}
	}
	return nil
}
