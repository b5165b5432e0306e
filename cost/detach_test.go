package cost_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// A detached variable has no gradient; value and other gradients are those of the cost.
func TestDetachedVariablesStay(t *testing.T) {
	x := []tensor.Batch{{N: 1, Shape: tensor.Shape{1, 2}, Data: []float32{0.3, -0.2}}, {N: 1, Shape: tensor.Shape{1, 2}, Data: []float32{0.1, 0.4}}}
	eval := func(c cost.Cost) ([]float64, []tensor.Batch) {
		value, grad := []float64{0}, []tensor.Batch{tensor.New(1, 1, 2), tensor.New(1, 1, 2)}
		if err := c.Add(t.Context(), value, grad, x, 1.5); err != nil {
			t.Fatal(err)
		}
		return value, grad
	}
	value, grad := eval(cost.Hinge{Range: 2})
	got, part := eval(cost.Detach(cost.Hinge{Range: 2}, 1))
	if got[0] != value[0] || !slices.Equal(part[0].Data, grad[0].Data) {
		t.Errorf("value %v and gradient %v, want %v and %v", got, part[0].Data, value, grad[0].Data)
	}
	if !slices.Equal(part[1].Data, []float32{0, 0}) || slices.Equal(grad[1].Data, []float32{0, 0}) {
		t.Errorf("the detached variable has the gradient %v, and %v when it is not", part[1].Data, grad[1].Data)
	}
}
