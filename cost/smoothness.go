package cost

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Smoothness penalises the differences of a path:
//
//	c(x) = ½ Σ_h ‖Δ x_h‖²
//
// with Δ the first difference (speed) or the second (acceleration) between
// consecutive points.
type Smoothness struct {
	Order int // 1 or 2; 0 is 1
	Dims  int // leading coordinates of a point that count; 0 is all
}

// stencil returns the weights of the difference, oldest point first.
func (c Smoothness) stencil() []float64 {
	if c.Order == 2 {
		return []float64{1, -2, 1}
	}
	return []float64{-1, 1}
}

// Add implements [Cost].
func (c Smoothness) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	l, stencil := pointsOf(x[0].Shape, c.Dims), c.stencil()
	for k := range x[0].N {
		p, total := x[0].Sample(k), 0.0
		for at := 0; at+(len(stencil)-1)*l.stride < len(p); at += l.stride {
			for i := range l.dims {
				diff := 0.0
				for j, s := range stencil {
					diff += s * float64(p[at+j*l.stride+i])
				}
				total += 0.5 * diff * diff
				if grad != nil {
					g := grad[0].Sample(k)
					for j, s := range stencil {
						g[at+j*l.stride+i] += float32(weight * diff * s)
					}
				}
			}
		}
		if value != nil {
			value[k] += weight * total
		}
	}
	return nil
}

// Check implements [Cost].
func (c Smoothness) Check(shapes []tensor.Shape) error {
	const name = "smoothness"
	if err := checkArity(name, shapes, 1); err != nil {
		return err
	}
	if c.Order < 0 || c.Order > 2 {
		return &parameterError{Cost: name, Name: "Order", Value: float64(c.Order), Want: "1 or 2"}
	}
	return checkDims(name, shapes[0], c.Dims)
}
