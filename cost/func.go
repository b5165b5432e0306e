package cost

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Func is a cost given by a function of one tuple: the quickest way to try one's
// own.
type Func struct {
	Name string // for error messages
	Vars int    // number of variables
	// Eval returns the cost of one tuple and, when grad is not nil, writes its
	// gradient with respect to x[i] to grad[i], which is zero before. It must not
	// keep state between calls: tuples are evaluated concurrently.
	Eval func(grad, x [][]float32) float64
}

// Add implements [Cost].
func (f Func) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	args := make([][]float32, len(x))
	var slopes [][]float32
	if grad != nil {
		slopes = make([][]float32, len(x))
		for i := range x {
			slopes[i] = make([]float32, x[i].Size())
		}
	}
	for k := range x[0].N {
		for i := range x {
			args[i] = x[i].Sample(k)
		}
		v := f.Eval(slopes, args)
		if value != nil {
			value[k] += weight * v
		}
		for i := range slopes {
			g := grad[i].Sample(k)
			for j, s := range slopes[i] {
				g[j] += float32(weight * float64(s))
			}
			clear(slopes[i])
		}
	}
	return nil
}

// Check implements [Cost].
func (f Func) Check(shapes []tensor.Shape) error {
	if f.Eval == nil {
		return &parameterError{Cost: f.Name, Name: "Eval", Want: "a function"}
	}
	return checkArity(f.Name, shapes, f.Vars)
}
