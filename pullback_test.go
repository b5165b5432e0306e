package pcd_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/schedule"
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

// limited says how many samples it can keep, and remembers the most it was given.
type limited struct {
	linearizer
	limit int
	most  *atomic.Int64
}

func (l limited) LinearizeLimit() int { return l.limit }

func (l limited) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	for n := l.most.Load(); int64(x.N) > n && !l.most.CompareAndSwap(n, int64(x.N)); n = l.most.Load() {
	}
	return l.linearizer.Linearize(ctx, dst, x, t)
}

// A model that can keep few samples is given few at a time, and the samples are the
// same, also behind a conversion and in a sum of models.
func TestModelsSayHowMuchTheyKeep(t *testing.T) {
	s := cosine(t, 6)
	shape := tensor.Shape{4, 2}
	g, err := analytic.NewGaussian(shape, []float64{0.3}, []float64{0.5}, s)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(m denoise.Denoiser) []float32 {
		v := pcd.Variable{Model: m}
		r, err := pcd.Sample(t.Context(), pcd.Problem{
			Variables: []pcd.Variable{v, v}, Dynamics: pcd.DDPM{Schedule: s},
			Couplings: []pcd.Coupling{{Cost: cost.DPP{}, Strength: 0.3, At: pcd.AtEstimate}},
		}, pcd.Options{Samples: 50, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		return append(r.Samples[0].Data, r.Samples[1].Data...)
	}
	var unused, most atomic.Int64
	keeping := limited{linearizer{g, &unused, &unused}, 7, &most}
	converted, err := denoise.Convert(keeping, schedule.Epsilon, s)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := denoise.Convert(g, schedule.Epsilon, s)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ got, want denoise.Denoiser }{"itself": {keeping, g}, "converted": {converted, plain}} {
		most.Store(0)
		if !slices.Equal(draw(c.got), draw(c.want)) {
			t.Errorf("%s: other samples", what)
		}
		if n := most.Load(); n < 1 || n > 7 {
			t.Errorf("%s: %d samples at a time, want at most 7", what, n)
		}
	}
	both, err := denoise.Compose([]denoise.Denoiser{keeping, keeping}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := denoise.LinearizeLimit(both); n != 3 {
		t.Errorf("two models that keep 7 samples each keep %d together, want 3", n)
	}
	if n := denoise.LinearizeLimit(g); n != 96 {
		t.Errorf("a model that does not say keeps %d, want 96", n)
	}
}
