package pcd

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Corrector moves states before a step, at the noise level that they have; the models
// are then evaluated where they went. Couplings, in contrast, change the step itself.
//
// Source: the corrector of Song et al., "Score-based generative modeling through
// stochastic differential equations" (ICLR 2021), algorithm 1, with any rule in the
// place of Langevin steps.
type Corrector interface {
	// Correct moves the rows x[v] of every variable v in place, before step i, which
	// count down to 0. A row may depend on the same row of other variables only.
	// timestep is what the models will be told.
	Correct(ctx context.Context, x []tensor.Batch, i, timestep int) error
}

// correct lets the corrector of a problem move the states of a chunk.
func (m *mover) correct(ctx context.Context) error {
	if m.problem.Before == nil {
		return nil
	}
	x := make([]tensor.Batch, len(m.problem.Variables))
	for v := range x {
		x[v] = m.state(v)
	}
	err := m.problem.Before.Correct(ctx, x, m.i, m.problem.Dynamics.Timestep(m.i))
	m.own.lap(&m.own.seconds.Coupling)
	return m.fail(-1, err)
}
