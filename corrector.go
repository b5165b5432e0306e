package pcd

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Corrector moves states beside the step itself: before it, at the noise level that they
// have, so that the models are evaluated where they went, or its means, before the noise.
//
// Source: the corrector of Song et al., "Score-based generative modeling through
// stochastic differential equations" (ICLR 2021), algorithm 1, with any rule in the
// place of Langevin steps.
type Corrector interface {
	// Correct moves the rows x[v] of every variable v in place, at step i, which
	// count down to 0. A row may depend on the same row of other variables only.
	// timestep is what the models are told.
	Correct(ctx context.Context, x []tensor.Batch, i, timestep int) error
}

// Acceptor says at which steps nothing is left to guide. A run with one is a single chunk
// and not independent of the batch size.
type Acceptor interface {
	// Accept judges step i by where it leads without couplings and projections: next[v] is
	// the whole batch of variable v, which it must not change.
	Accept(ctx context.Context, next []tensor.Batch, i int) (Verdict, error)
}

// Verdict says how a step is taken.
type Verdict int

// The verdicts of an [Acceptor].
const (
	Guided    Verdict = iota // as usual
	Unguided                 // without couplings
	Untouched                // without couplings, projections and conditions
)
