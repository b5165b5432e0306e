package cost

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Hinge pushes two paths apart where they are closer than a range:
//
//	c(x, y) = Σ_h max(0, Range - ‖x_h - y_h‖)^Power
//
// With the power 2 it is the squared hinge distance (SHD) of PCD; it has range
// and a continuous gradient except at coinciding points, where the gradient is
// taken to be 0.
type Hinge struct {
	Range float64 // distance at which the push begins, in the units of the coordinates; positive
	Power int     // 2 or 3; 0 is 2
	Dims  int     // leading coordinates of a point that are its position; 0 is all
}

// Add implements [Cost].
func (c Hinge) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	pairCost{pointsOf(x[0].Shape, c.Dims), c.value, c.slopeOverDistance}.add(value, grad, x, weight)
	return nil
}

func (c Hinge) value(d float64) float64 {
	gap := max(0, c.Range-d)
	if c.Power == 3 {
		return gap * gap * gap
	}
	return gap * gap
}

func (c Hinge) slopeOverDistance(d float64) float64 {
	gap := c.Range - d
	if gap <= 0 || d == 0 {
		return 0
	}
	if c.Power == 3 {
		return -3 * gap * gap / d
	}
	return -2 * gap / d
}

// Check implements [Cost].
func (c Hinge) Check(shapes []tensor.Shape) error {
	const name = "hinge"
	if err := checkPair(name, shapes); err != nil {
		return err
	}
	if err := checkPositive(name, "Range", c.Range); err != nil {
		return err
	}
	if c.Power != 0 && c.Power != 2 && c.Power != 3 {
		return &parameterError{Cost: name, Name: "Power", Value: float64(c.Power), Want: "2 or 3"}
	}
	return checkDims(name, shapes[0], c.Dims)
}

// Symmetric implements [Symmetric].
func (c Hinge) Symmetric() bool { return true }
