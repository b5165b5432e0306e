package pcd_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// meeting is a model that goes on only where another one has come as well, as goroutines of one
// step do and calls in turn never.
type meeting struct {
	denoise.VJPer
	there, other chan struct{}
}

// meet waits for the other model. What never comes ends with the context.
func (m meeting) meet(ctx context.Context) error {
	select {
	case m.there <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-m.other:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m meeting) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	if err := m.meet(ctx); err != nil {
		return err
	}
	return m.VJPer.Predict(ctx, dst, x, t)
}

func (m meeting) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	if err := m.meet(ctx); err != nil {
		return err
	}
	return m.VJPer.VJP(ctx, dst, x, cotangent, t)
}

// TestOnePairIsSharedByTwoGoroutines draws one pair: its models are asked together, for predictions and for
// products with their Jacobians, and the samples are those of one goroutine.
func TestOnePairIsSharedByTwoGoroutines(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of a step that asks one after the other
	defer cancel()
	s, shape := cosine(t, 6), tensor.Shape{4, 2}
	draw := func(workers int, models ...denoise.Denoiser) *pcd.Result {
		t.Helper()
		p := pcd.Problem{Dynamics: pcd.DDPM{Schedule: s}, Couplings: []pcd.Coupling{{Cost: cost.DPP{}, Strength: 0.3, At: pcd.AtEstimate}}}
		for _, m := range models {
			p.Variables = append(p.Variables, pcd.Variable{Model: m})
		}
		r, err := pcd.Sample(ctx, p, pcd.Options{Samples: 1, Seed: 5, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	model := mixture(t, shape, s)
	a, b := make(chan struct{}, 1), make(chan struct{}, 1)
	want, got := draw(1, model, model), draw(2, meeting{model, a, b}, meeting{model, b, a})
	for v := range want.Samples {
		if !slices.Equal(want.Samples[v].Data, got.Samples[v].Data) {
			t.Errorf("the sample of variable %d is another one by two goroutines", v)
		}
	}
}

// TestGivenVariablesHaveNoTimestep couples a variable without a model at the estimate, over a grid with
// timesteps that are no whole numbers.
func TestGivenVariablesHaveNoTimestep(t *testing.T) {
	g := mustGrid(t)(stableDiffusion(t).Grid(schedule.GridOptions{Steps: 5, Spacing: schedule.Linspace, Family: schedule.Continuous}))
	shape := tensor.Shape{4, 2}
	p := pcd.Problem{Dynamics: pcd.Euler{Grid: g}, Couplings: []pcd.Coupling{{Cost: cost.DPP{}, Strength: 0.3, At: pcd.AtEstimate, Scale: pcd.ByPrediction}},
		Variables: []pcd.Variable{{Model: differentiable{standIn{shape: shape}}}, {Init: pcd.Values(tensor.New(1, shape...))}}}
	mustSample(t, p, pcd.Options{Samples: 2})
}

// differentiable is a model whose Jacobian is none.
type differentiable struct{ standIn }

func (m differentiable) At(t float64) denoise.Denoiser {
	m.at = &t
	return m
}

func (m differentiable) VJP(_ context.Context, dst, _, _ tensor.Batch, _ int) error {
	clear(dst.Data)
	return nil
}
