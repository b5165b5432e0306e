package pcd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func TestProblemErrorListsEverything(t *testing.T) {
	s := cosine(t, 32)
	nan := tensor.New(1, 2)
	nan.Data[1] = float32(math.NaN())
	p := pcd.Problem{
		Variables: []pcd.Variable{
			{Name: "empty"},
			{Name: "started", Model: gaussian(t, tensor.Shape{4, 2}, 0, 1, s), Init: pcd.Normal{Std: -1}},
			{Name: "fixed", Model: notDifferentiable{gaussian(t, tensor.Shape{4, 2}, 0, 1, s)},
				Conditions: []pcd.Condition{{Offset: 7, Values: tensor.New(1, 2)}, {Values: nan}, {Values: tensor.New(3, 2)}}},
		},
		Couplings: []pcd.Coupling{
			{Name: "nothing"},
			{Name: "far", Cost: cost.DPP{}, Variables: []int{1, 3}},
			{Name: "twice", Cost: cost.DPP{}, Variables: []int{1, 1}},
			{Name: "strong", Cost: cost.DPP{}, Variables: []int{1, 2}, Strength: math.Inf(1)},
			{Name: "scaled", Cost: cost.DPP{}, Variables: []int{1, 2}, Scale: pcd.ByStepSize},
			{Name: "pulled", Cost: cost.DPP{}, Variables: []int{1, 2}, At: pcd.AtEstimate},
			{Name: "barrier", Cost: cost.LogBarrier{}, Variables: []int{1, 2}},
		},
		Dynamics: pcd.DDPM{Schedule: s},
		Cadence:  pcd.Cadence{Every: -1},
	}
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 0, First: -1, ChunkSize: -1})
	var pe *pcd.ProblemError
	if !errors.As(err, &pe) {
		t.Fatalf("Sample = %v, want a *pcd.ProblemError", err)
	}
	for _, want := range []string{
		"0 samples", "first sample number is -1", "chunk size", "every -1 steps",
		"variable empty has neither", "variable started: normal initial state", "elements 7 to 8", "not a number", "samples 0 to 2",
		"coupling nothing has no cost", "variable number 3 does not exist", "listed twice", "strength +Inf", "scaled by the step size",
		"variable fixed, for the gradient at the estimate", "Alpha is 0",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q:\n%v", want, err)
		}
	}
	if !errors.Is(err, denoise.ErrNotDifferentiable) {
		t.Error("errors.Is does not see ErrNotDifferentiable")
	}
	if _, err := pcd.Sample(context.Background(), pcd.Problem{}, pcd.Options{Samples: 1}); err == nil {
		t.Error("the empty problem: no error")
	}
}

// TestScalesThatDynamicsHave wants a scale to be refused where no step has it, under grids of
// flow models as well, and to be taken where only the last step, which changes nothing, has none.
func TestScalesThatDynamicsHave(t *testing.T) {
	flow, err := schedule.FlowGrid(schedule.FlowOptions{Steps: 4})
	if err != nil {
		t.Fatal(err)
	}
	still := mustGrid(t)(stableDiffusion(t).Grid(schedule.GridOptions{Steps: 4, EndAtFirst: true}))
	x := pcd.Variable{Model: constant{standIn{shape: tensor.Shape{3, 2}}}}
	for _, c := range []struct {
		scale  pcd.Scale
		grid   *schedule.Grid
		refuse string
	}{
		{pcd.ByStepSize, flow, "scaled by the step size, which Euler"},
		{pcd.ByNoiseRate, flow, "scaled by the beta/sqrt(alpha), which Euler"},
		{pcd.ByPrediction, still, ""},
		{pcd.Scale(7), still, "scaled by Scale(7), want one of 1, step size"},
	} {
		p := pcd.Problem{Variables: []pcd.Variable{x}, Dynamics: pcd.Euler{Grid: c.grid},
			Couplings: []pcd.Coupling{{Cost: cost.Smoothness{}, Strength: 1, Scale: c.scale}}}
		err := p.Validate(pcd.Options{Samples: 1})
		if c.refuse == "" && err != nil || c.refuse != "" && (err == nil || !strings.Contains(err.Error(), c.refuse)) {
			t.Errorf("%v over %s: %v, want %q", c.scale, c.grid.Name(), err, c.refuse)
		}
	}
}

// notDifferentiable hides a model's vector-Jacobian product.
type notDifferentiable struct{ denoise.Denoiser }

func TestCancellationKeepsTheLastStep(t *testing.T) {
	p := ring(t)
	full := map[int]tensor.Batch{}
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		full[info.Done] = info.Samples(2)
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := pcd.Sample(ctx, p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		if info.Done == 9 {
			cancel()
		}
		return nil
	})})
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != pcd.Interrupted || r.Steps != 9 {
		t.Fatalf("cancelled run: %+v, %v", r, err)
	}
	if !slices.Equal(r.Samples[2].Data, full[9].Data) {
		t.Error("partial samples are not those of the last finished step")
	}
	stop := errors.New("enough")
	r, err = pcd.Sample(context.Background(), p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		info.Samples(2).Data[0] = 99 // a copy
		if info.Step == 20 {
			return stop
		}
		return nil
	})})
	if !errors.Is(err, stop) || r.Status != pcd.Stopped || !slices.Equal(r.Samples[2].Data, full[12].Data) {
		t.Errorf("stopped run: status %v after %d steps, %v", r.Status, r.Steps, err)
	}
}

// broken predicts NaN from a step on.
type broken struct {
	denoise.Denoiser
	below int
}

func (b broken) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	err := b.Denoiser.Predict(ctx, dst, x, t)
	if t < b.below {
		dst.Data[len(dst.Data)-1] = float32(math.NaN())
	}
	return err
}

func TestDivergenceIsReportedWithItsStep(t *testing.T) {
	s := cosine(t, 32)
	for _, set := range []project.Projector{nil, interval(t, -1, 1)} {
		r, err := pcd.Sample(context.Background(), pcd.Problem{
			Variables: []pcd.Variable{{Name: "x", Model: broken{gaussian(t, tensor.Shape{3}, 0, 1, s), 10}, Project: set}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: 5, Workers: 1})
		var se *pcd.StepError
		var nf *tensor.NonFiniteError
		if !strings.Contains(fmt.Sprint(err), "the prediction of its model: sample 4") {
			t.Errorf("error = %v, want one that names the model", err)
		}
		if !errors.As(err, &se) || se.Step != 9 || se.Variable != "x" || !errors.As(err, &nf) || nf.Sample != 4 || nf.Index != 2 {
			t.Errorf("error = %v, want step 9, variable x, sample 4, element 2", err)
		}
		if r == nil || r.Status != pcd.Failed || r.Steps != 22 || r.Samples[0].CheckFinite() != nil {
			t.Errorf("result %+v, want the finite samples of 22 steps", r)
		}
	}
}

// late is a model with a time limit of its own, like one that answers over a network.
type late struct{ denoise.Denoiser }

func (late) Predict(context.Context, tensor.Batch, tensor.Batch, int) error {
	return fmt.Errorf("no answer: %w", context.DeadlineExceeded)
}

// TestTimeLimitsOfParts wants the end of another context than that of the run to be a failure, with
// its place.
func TestTimeLimitsOfParts(t *testing.T) {
	s := cosine(t, 4)
	p := pcd.Problem{Variables: []pcd.Variable{{Name: "x", Model: late{gaussian(t, tensor.Shape{2}, 0, 1, s)}}}, Dynamics: pcd.DDPM{Schedule: s}}
	r, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 1})
	var se *pcd.StepError
	if !errors.As(err, &se) || se.Variable != "x" || !errors.Is(err, context.DeadlineExceeded) || r.Status != pcd.Failed {
		t.Errorf("status %v, error %v, want a failure of variable x", r.Status, err)
	}
}

// givesBack counts the pullbacks that were given back.
type givesBack struct {
	linearizer
	count *int
}

func (m givesBack) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	p, err := m.linearizer.Linearize(ctx, dst, x, t)
	return counted{p, m.count}, err
}

type counted struct {
	denoise.Pullback
	count *int
}

func (c counted) Release() { *c.count++ }

// TestFailedStepsGiveBack wants a step that fails to give back what it keeps of predictions.
func TestFailedStepsGiveBack(t *testing.T) {
	s, count := cosine(t, 4), 0
	model := givesBack{linearizer{gaussian(t, tensor.Shape{2}, 0, 1, s).(denoise.VJPer), new(atomic.Int64), new(atomic.Int64)}, &count}
	p := pcd.Problem{Variables: []pcd.Variable{{Model: model}, {Model: late{model}}}, Dynamics: pcd.DDPM{Schedule: s},
		Couplings: []pcd.Coupling{{Cost: cost.Func{Vars: 1, Eval: func(_, _ [][]float32) float64 { return 0 }}, Variables: []int{0}, Strength: 1, At: pcd.AtEstimate}}}
	if _, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 1}); err == nil || count != 1 {
		t.Errorf("error %v, %d pullbacks given back, want 1", err, count)
	}
}

// A coupling whose scale was forgotten is named with its strength and with what the
// dynamics would have multiplied it by.
func TestDivergenceNamesStrengthAndScale(t *testing.T) {
	model := gaussian(t, tensor.Shape{2}, 0, 1, cosine(t, 16))
	apart := cost.Func{Name: "apart", Vars: 2, Eval: func(grad, x [][]float32) (value float64) {
		for j := range x[0] {
			d := x[0][j] - x[1][j]
			value -= float64(d*d) / 2
			if grad != nil {
				grad[0][j], grad[1][j] = -d, d
			}
		}
		return value
	}}
	problem := pcd.Problem{
		Variables: []pcd.Variable{{Name: "a", Model: model}, {Name: "b", Model: model}, {Name: "alone", Model: model}},
		Couplings: []pcd.Coupling{{Name: "meet", Cost: apart, Variables: []int{0, 1}, Strength: 1e9}},
		Dynamics:  pcd.DDPM{Schedule: cosine(t, 16)},
	}
	for _, set := range []project.Projector{nil, idleSet{interval(t, -1, 1)}} {
		problem.Variables[0].Project = set
		_, err := pcd.Sample(context.Background(), problem, pcd.Options{Samples: 1})
		var where *tensor.NonFiniteError
		if !errors.As(err, &where) {
			t.Fatalf("error %v, want one that says where", err)
		}
		for _, word := range []string{"coupling meet", "strength 1e+09", "scale 1, which is 1 at this step", "(scale beta/sqrt(alpha) is "} {
			if strings.Count(err.Error(), word) != 1 {
				t.Errorf("%v does not say %s, once", err, word)
			}
		}
	}
}

// idleSet has a projector that leaves states where they are until they are not finite.
type idleSet struct{ project.Projector }

func (c idleSet) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	if err := x.CheckFinite(); err != nil {
		return project.Report{}, err
	}
	dst.CopyFrom(x)
	return project.Report{}, nil
}
