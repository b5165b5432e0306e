package latent

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// descent is a corrector that moves states down the raw gradient of a cost of their clean
// estimates:
//
//	x ← x - weight decayⁱ (a g + b Jᵀ g)
//
// at the i-th step of a run, with the estimates a x + b p(x), the gradient g there and the
// Jacobian J of the prediction p. All gradients are taken before any state moves.
type descent struct {
	dynamics      pcd.Dynamics
	models        []denoise.Linearizer // of the variables
	cost          cost.Cost
	weight, decay float64
}

// Correct implements [pcd.Corrector]. It takes as many samples at a time as the models can
// keep what they compute of.
func (d descent) Correct(ctx context.Context, x []tensor.Batch, i, timestep int) error {
	weight := d.weight * math.Pow(d.decay, float64(d.dynamics.Steps()-1-i))
	if weight == 0 {
		return nil
	}
	limit := x[0].N
	for _, m := range d.models {
		limit = min(limit, denoise.LinearizeLimit(m))
	}
	for lo := 0; lo < x[0].N; lo += limit {
		if err := d.move(ctx, rowsOf(x, lo, min(lo+limit, x[0].N)), weight, i, timestep); err != nil {
			return err
		}
	}
	return nil
}

// move is Correct for samples that are taken together. A gradient of zeros, as at an
// anchor, is not pulled back.
func (d descent) move(ctx context.Context, x []tensor.Batch, weight float64, i, timestep int) error {
	back := make([]denoise.Pullback, len(x))
	defer release(back)
	estimates, slopes := make([]tensor.Batch, len(x)), make([]tensor.Batch, len(x))
	for v, m := range d.models {
		estimates[v], slopes[v] = x[v].Clone(), like(x[v])
		t := d.dynamics.Transition(i, m.Kind())
		at, err := denoise.At(m, float64(timestep)+t.Fraction)
		if err != nil {
			return err
		}
		if back[v], err = at.(denoise.Linearizer).Linearize(ctx, estimates[v], x[v], timestep); err != nil {
			return err
		}
		e := t.Estimate
		combine(estimates[v].Data, e.State, x[v].Data, e.Prediction)
	}
	if err := d.cost.Add(ctx, nil, slopes, estimates, 1); err != nil {
		return err
	}
	for v, m := range d.models {
		if isZero(slopes[v]) {
			continue
		}
		part := like(x[v])
		if err := back[v].VJP(ctx, part, slopes[v]); err != nil {
			return err
		}
		e := d.dynamics.Transition(i, m.Kind()).Estimate
		combine(part.Data, e.State, slopes[v].Data, e.Prediction)
		for j, g := range part.Data {
			x[v].Data[j] -= float32(weight * float64(g))
		}
	}
	return nil
}

// combine makes y the sum a x + b y.
func combine(y []float32, a float64, x []float32, b float64) {
	for j, v := range x {
		y[j] = float32(a*float64(v) + b*float64(y[j]))
	}
}

// like returns zeros of the size of a batch, of the same samples.
func like(b tensor.Batch) tensor.Batch {
	out := tensor.New(b.N, b.Shape...)
	out.First = b.First
	return out
}

// isZero reports whether all numbers of a batch are 0.
func isZero(b tensor.Batch) bool {
	return !slices.ContainsFunc(b.Data, func(v float32) bool { return v != 0 })
}
