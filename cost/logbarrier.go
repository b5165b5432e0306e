package cost

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// LogBarrier pushes two paths apart at every point:
//
//	c(x, y) = - Σ_h ln(Alpha + r_h),  r_h = √(‖x_h - y_h‖² + Smoothing²)
//
// The push is strongest where the points meet and has no range. At coinciding
// points the gradient is 0. Source: PCD, "log-barrier" (LB) cost.
type LogBarrier struct {
	Alpha     float64 // offset that keeps the logarithm finite, in the units of the coordinates; positive
	Smoothing float64 // rounds the tip at r = 0; 0 leaves the distance as it is
	Dims      int     // leading coordinates of a point that are its position; 0 is all
}

// Add implements [Cost].
func (c LogBarrier) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	pairCost{pointsOf(x[0].Shape, c.Dims),
		func(d float64) float64 { return -math.Log(c.Alpha + c.smooth(d)) },
		func(d float64) float64 {
			r := c.smooth(d)
			if r == 0 {
				return 0
			}
			return -1 / (r * (c.Alpha + r))
		}}.add(value, grad, x, weight)
	return nil
}

// smooth returns √(d² + Smoothing²).
func (c LogBarrier) smooth(d float64) float64 {
	if c.Smoothing == 0 {
		return d
	}
	return math.Sqrt(d*d + c.Smoothing*c.Smoothing)
}

// Check implements [Cost].
func (c LogBarrier) Check(shapes []tensor.Shape) error {
	const name = "log barrier"
	if err := checkPair(name, shapes); err != nil {
		return err
	}
	if err := checkPositive(name, "Alpha", c.Alpha); err != nil {
		return err
	}
	if !(c.Smoothing >= 0) {
		return &parameterError{Cost: name, Name: "Smoothing", Value: c.Smoothing, Want: "0 or more"}
	}
	return checkDims(name, shapes[0], c.Dims)
}

// Symmetric implements [Symmetric].
func (c LogBarrier) Symmetric() bool { return true }
