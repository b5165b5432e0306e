package pcd_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// linearizer gives a model a pullback and counts the rows of its products.
type linearizer struct {
	denoise.VJPer
	linearized, products *atomic.Int64
}

func (l linearizer) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	l.linearized.Add(int64(x.N))
	return pullback{l, x.Clone(), t}, l.Predict(ctx, dst, x, t)
}

func (l linearizer) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	l.products.Add(int64(x.N))
	return l.VJPer.VJP(ctx, dst, x, cotangent, t)
}

type pullback struct {
	model linearizer
	x     tensor.Batch
	t     int
}

func (p pullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	return p.model.VJPer.VJP(ctx, dst, p.x, cotangent, p.t)
}

func (p pullback) Release() {}

// TestPullbacksDoNotChangeSamples draws with models that keep what a prediction
// computed and with models that do not.
func TestPullbacksDoNotChangeSamples(t *testing.T) {
	const steps, samples, from = 12, 300, 2
	s := cosine(t, steps)
	shape := tensor.Shape{4, 2}
	pulled := pcd.Coupling{Cost: cost.DPP{}, Strength: 0.3, At: pcd.AtEstimate, Window: pcd.Window{From: from}}
	atState := pulled
	atState.At = pcd.AtState
	never := pulled
	never.Strength = 0
	for _, c := range []struct {
		name                 string
		couplings            []pcd.Coupling
		linearized, products int64 // rows of each model
	}{
		{"pulled back", []pcd.Coupling{pulled}, samples * (steps - from), 0},
		{"and another at the state", []pcd.Coupling{atState, pulled}, samples * (steps - from), 0},
		{"twice", []pcd.Coupling{pulled, pulled}, 0, 2 * samples * (steps - from)},
		{"not pulled back", []pcd.Coupling{atState}, 0, 0},
		{"without strength", []pcd.Coupling{never}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var linearized, products atomic.Int64
			model := mixture(t, shape, s)
			draw := func(m denoise.Denoiser) *pcd.Result {
				return mustSample(t, pcd.Problem{
					Variables: []pcd.Variable{{Model: m}, {Model: m}}, Couplings: c.couplings, Dynamics: pcd.DDPM{Schedule: s},
				}, pcd.Options{Samples: samples, Seed: 5})
			}
			want, got := draw(model), draw(linearizer{model, &linearized, &products})
			for v := range want.Samples {
				if !slices.Equal(want.Samples[v].Data, got.Samples[v].Data) {
					t.Errorf("the samples of variable %d differ", v)
				}
			}
			if linearized.Load() != 2*c.linearized || products.Load() != 2*c.products {
				t.Errorf("%d rows linearized and %d in other products, want %d and %d",
					linearized.Load(), products.Load(), 2*c.linearized, 2*c.products)
			}
		})
	}
}
