package cost

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// Detach returns a cost whose gradient leaves out some of its variables, by position:
// they are looked at, and do not move. It is not the gradient of any cost, and what it
// says of the others is that of c. An anchor that the others are drawn to is one.
func Detach(c Cost, variables ...int) Cost { return detached{c, variables} }

type detached struct {
	cost      Cost
	variables []int
}

func (d detached) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	if grad == nil {
		return d.cost.Add(ctx, value, nil, x, weight)
	}
	kept := slices.Clone(grad)
	for _, v := range d.variables {
		kept[v] = tensor.New(grad[v].N, grad[v].Shape...)
		kept[v].First = grad[v].First
	}
	return d.cost.Add(ctx, value, kept, x, weight)
}

func (d detached) Check(shapes []tensor.Shape) error {
	for _, v := range d.variables {
		if v < 0 || v >= len(shapes) {
			return &parameterError{Cost: "detach", Name: "variable", Value: float64(v), Want: fmt.Sprintf("0 to %d", len(shapes)-1)}
		}
	}
	return checkPart("detach", d.cost, shapes)
}

// Parts returns the cost whose gradient is left out.
func (d detached) Parts() []Cost { return []Cost{d.cost} }

func (d detached) At(t int) Cost { return detached{At(d.cost, t), d.variables} }
