package cost

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Field is a signed distance field in the plane: positive outside obstacles.
type Field interface {
	// SignedDistance returns the distance to the nearest surface and its gradient
	// at a point, in the units of the coordinates.
	SignedDistance(x, y float64) (d, gx, gy float64)
}

// Obstacle keeps a path of points in the plane away from obstacles:
//
//	c(x) = Σ_h max(0, Margin - d(x_h))
//
// over the waypoints from First on, d the signed distance at the first two
// coordinates. On the border of the margin the gradient is 0; where the field has
// a kink it is the one that the field returns. Source: CHOMP's hinge as used by
// Motion Planning Diffusion.
type Obstacle struct {
	Field  Field
	Margin float64 // distance below which the cost begins
	First  int     // waypoints before this one are free
}

// Add implements [Cost].
func (c Obstacle) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	stride := pointsOf(x[0].Shape, 2).stride
	for k := range x[0].N {
		p, total := x[0].Sample(k), 0.0
		for at := c.First * stride; at < len(p); at += stride {
			d, gx, gy := c.Field.SignedDistance(float64(p[at]), float64(p[at+1]))
			if !(d < c.Margin) {
				continue
			}
			total += c.Margin - d
			if grad != nil {
				g := grad[0].Sample(k)
				g[at] -= float32(weight * gx)
				g[at+1] -= float32(weight * gy)
			}
		}
		if value != nil {
			value[k] += weight * total
		}
	}
	return nil
}

// Check implements [Cost].
func (c Obstacle) Check(shapes []tensor.Shape) error {
	const name = "obstacle"
	if err := checkArity(name, shapes, 1); err != nil {
		return err
	}
	if c.Field == nil {
		return &parameterError{Cost: name, Name: "Field", Want: "a signed distance field"}
	}
	if c.Margin-c.Margin != 0 {
		return &parameterError{Cost: name, Name: "Margin", Value: c.Margin, Want: "a finite number"}
	}
	if c.First < 0 {
		return &parameterError{Cost: name, Name: "First", Value: float64(c.First), Want: "0 or more"}
	}
	if err := checkDims(name, shapes[0], 2); err != nil {
		return err
	}
	if n := shapes[0].Size() / pointsOf(shapes[0], 2).stride; c.First >= n {
		return &parameterError{Cost: name, Name: "First", Value: float64(c.First), Want: fmt.Sprintf("less than the %d waypoints of the path", n)}
	}
	return nil
}
