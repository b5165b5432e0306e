package push

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/tensor"
)

// acceptance leaves a step unguided when the costs of the clean-sample estimates after it
// lie below acceptBelow for all pairs of the batch.
//
// Source: the early acceptance of the reference code.
type acceptance struct {
	problem pcd.Problem
	cost    cost.Cost
	window  pcd.Window // of the coupling
	workers int
	verdict pcd.Verdict // on an accepted step
}

// acceptBlock is how many rows a goroutine evaluates at a time.
const acceptBlock = 64

// Accept implements [pcd.Acceptor]. After step 0 nothing is left to estimate.
func (a acceptance) Accept(ctx context.Context, next []tensor.Batch, i int) (pcd.Verdict, error) {
	if i == 0 || !a.window.Contains(i) {
		return pcd.Guided, nil
	}
	estimates := make([]tensor.Batch, len(next))
	for v, x := range next {
		model := a.problem.Variables[v].Model
		step := a.problem.Dynamics.Transition(i-1, model.Kind())
		e := tensor.New(x.N, x.Shape...)
		e.First = x.First
		err := parallel.For(ctx, a.workers, (x.N+acceptBlock-1)/acceptBlock, func(_, k int) error {
			lo, hi := k*acceptBlock, min((k+1)*acceptBlock, x.N)
			return model.Predict(ctx, e.Rows(lo, hi), x.Rows(lo, hi), step.Timestep)
		})
		if err != nil {
			return pcd.Guided, err
		}
		step.WriteEstimate(e.Data, x.Data, e.Data)
		estimates[v] = e
	}
	values := make([]float64, next[0].N)
	if err := a.cost.Add(ctx, values, nil, estimates, 1); err != nil {
		return pcd.Guided, err
	}
	if slices.ContainsFunc(values, func(v float64) bool { return !(v < acceptBelow) }) {
		return pcd.Guided, nil
	}
	return a.verdict, nil
}
