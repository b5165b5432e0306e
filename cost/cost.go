package cost

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Cost is a differentiable coupling cost of one or more variables. Row k of the
// batches x[0], x[1], ... together is one tuple; tuples are independent.
//
// Laws, checked by package lawtest: the gradient equals central differences
// away from kinks; at a kink it is the documented element of the
// sub-differential; rows are independent; x is not written; declared symmetries
// hold; calls may run concurrently with different value and grad.
type Cost interface {
	// Add adds weight times the cost of every tuple to value and weight times its
	// gradient with respect to x[i] to grad[i]. Either may be nil. Adding instead
	// of setting lets sums, pairs and graphs of costs share one buffer.
	Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error
	// Check returns an error when the cost cannot be evaluated on one variable
	// per shape, in this order.
	Check(shapes []tensor.Shape) error
}

// Symmetric is a [Cost] whose value does not change when its variables are
// permuted. The conformance suite holds a cost that declares it to its word.
type Symmetric interface {
	Cost
	Symmetric() bool
}
