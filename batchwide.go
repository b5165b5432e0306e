package pcd

import (
	"context"
	"time"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// coupling is a [Coupling] with its arguments resolved.
type coupling struct {
	Coupling
	variables []int
	accepted  bool // the step in progress does without it
}

// acts reports whether the coupling acts at step i.
func (c coupling) acts(i int) bool { return c.Window.Contains(i) && c.Strength != 0 && !c.accepted }

func newCouplings(p Problem) []coupling {
	var out []coupling
	for _, c := range p.Couplings {
		out = append(out, coupling{Coupling: c, variables: p.arguments(c.Variables)})
	}
	return out
}

// costAt returns the cost at the noise level of step i.
func (m *mover) costAt(c coupling) cost.Cost {
	return cost.At(c.Cost, m.problem.Dynamics.Timestep(m.i))
}

// batchwide reports whether a coupling looks at the whole batch.
func (r *run) batchwide() bool {
	for _, c := range r.couplings {
		if _, ok := c.Cost.(Batchwide); ok || c.Accept != nil {
			return true
		}
	}
	return false
}

// showBatchwide lets batch-wide costs see their arguments before the chunks are
// coupled.
func (r *run) showBatchwide(i int) {
	for _, c := range r.couplings {
		observer, ok := c.Cost.(Batchwide)
		if !ok || !c.Window.Contains(i) {
			continue
		}
		args := make([]tensor.Batch, len(c.variables))
		for k, v := range c.variables {
			args[k] = r.states[v]
			if c.At == AtMean {
				args[k] = r.shared.mean[v]
			}
		}
		observer.Observe(args)
	}
}

// askAccept asks the couplings that may do without this step.
func (r *run) askAccept(ctx context.Context, i int) error {
	m := &mover{run: r, w: r.shared, chunk: chunk{0, r.opts.Samples}, i: i, whole: true}
	for k := range r.couplings {
		c := &r.couplings[k]
		c.accepted = false
		if c.Accept == nil || !c.Window.Contains(i) {
			continue
		}
		next := make([]tensor.Batch, len(c.variables))
		for j, v := range c.variables {
			next[j] = m.state(v).Clone()
			if r.problem.Variables[v].Model != nil {
				m.addNoise(next[j], m.at(m.w.mean, v).Data, v)
			}
		}
		var err error
		begin := time.Now()
		c.accepted, err = c.Accept(ctx, next, i)
		r.workspaces[0].seconds.Coupling += time.Since(begin).Seconds()
		if err != nil {
			return m.fail(-1, &partError{"coupling", r.problem.couplingName(k), err})
		}
	}
	return nil
}
