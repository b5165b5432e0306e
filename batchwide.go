package pcd

import (
	"context"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// Batchwide is a cost that looks at all tuples of a run together before it is
// evaluated on any, as reference implementations with batch-wide clipping rules
// do. A run with such a cost is not independent of the batch size.
type Batchwide interface {
	cost.Cost
	// Observe is called once per step with the whole batch of every argument at
	// the place where the gradient will be taken, and returns the cost of this
	// step. It changes nothing, so that runs may share a cost.
	Observe(x []tensor.Batch) cost.Cost
}

// wholeBatch reports whether a step needs all means before any coupling: a cost
// or the acceptance rule looks at the whole batch.
func (r *run) wholeBatch() bool {
	for _, c := range r.problem.Couplings {
		if _, ok := c.Cost.(Batchwide); ok {
			return true
		}
	}
	return r.problem.Accept != nil
}

// observe asks the batch-wide costs for that of step i.
func (r *run) observe(i int) {
	m := r.everything(i)
	for k := range r.couplings {
		c := &r.couplings[k]
		if b, ok := c.Cost.(Batchwide); ok && c.acts(i) {
			c.now = b.Observe(m.argumentsOf(*c))
		}
	}
}

// everything moves the whole batch of a run with a shared workspace.
func (r *run) everything(i int) *mover {
	return &mover{run: r, w: r.shared, own: r.workspaces[0], chunk: chunk{0, r.opts.Samples}, i: i, whole: true}
}

// together does the part of step i that looks at the whole batch, between means
// and couplings.
func (r *run) together(ctx context.Context, i int) error {
	r.observe(i)
	return r.judge(ctx, i)
}
