package pcd_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// accepted is a hinge between two variables on 30 steps of DDPM.
func accepted(t *testing.T, rule *pcd.Acceptance) pcd.Problem {
	t.Helper()
	s := cosine(t, 30)
	shape := tensor.Shape{4, 2}
	return pcd.Problem{
		Variables: []pcd.Variable{
			{Model: gaussian(t, shape, 0, 1, s), Project: interval(t, -1, 1), Conditions: []pcd.Condition{{Values: tensor.New(1, 2), Window: pcd.Window{To: 30}}}},
			{Model: gaussian(t, shape, 0, 1, s)},
		},
		Couplings: []pcd.Coupling{{Cost: cost.Hinge{Range: 3}, Strength: 0.1}},
		Dynamics:  pcd.DDPM{Schedule: s},
		Accept:    rule,
	}
}

// A bound that is always met leaves the samples as they are without the coupling,
// one that never is changes nothing.
func TestAcceptanceLeavesStepsUncoupled(t *testing.T) {
	coupled := accepted(t, nil)
	free := coupled
	free.Couplings = nil
	last := coupled // step 0 is never asked about
	last.Couplings = []pcd.Coupling{{Cost: cost.Hinge{Range: 3}, Strength: 0.1, Window: pcd.Window{To: 1}}}
	for _, tc := range []struct {
		name   string
		rule   pcd.Acceptance
		want   pcd.Problem
		taken  int
		differ bool
	}{
		{"always", pcd.Acceptance{Below: math.Inf(1)}, last, 29, true},
		{"never", pcd.Acceptance{Below: 0}, coupled, 0, false},
	} {
		tc.rule.Cost = cost.Hinge{Range: 3}
		want := mustSample(t, tc.want, pcd.Options{Samples: 20})
		got := mustSample(t, accepted(t, &tc.rule), pcd.Options{Samples: 20, Workers: 3, ChunkSize: 3})
		if got.Accepted != tc.taken {
			t.Errorf("%s: %d steps accepted, want %d", tc.name, got.Accepted, tc.taken)
		}
		for v := range want.Samples {
			if !slices.Equal(got.Samples[v].Data, want.Samples[v].Data) {
				t.Errorf("%s: variable %d differs", tc.name, v)
			}
		}
		if same := slices.Equal(got.Samples[0].Data, mustSample(t, coupled, pcd.Options{Samples: 20}).Samples[0].Data); same == tc.differ {
			t.Errorf("%s: equal to the coupled run %v, want %v", tc.name, same, !tc.differ)
		}
	}
}

// The rule looks at the estimates after the uncoupled step, of the whole batch, at
// the noise level of the step that follows.
func TestAcceptanceJudgesTheEstimates(t *testing.T) {
	p := accepted(t, &pcd.Acceptance{Cost: cost.Hinge{Range: 3}, Window: pcd.Window{From: 29}})
	free := p
	free.Couplings, free.Accept = nil, nil
	free.Variables = slices.Clone(p.Variables)
	free.Variables[0].Project, free.Variables[0].Conditions = nil, nil
	var states [2]tensor.Batch // after the first step
	first := errors.New("first step")
	keep := pcd.ObserverFunc(func(i pcd.StepInfo) error {
		states = [2]tensor.Batch{i.Samples(0), i.Samples(1)}
		return first
	})
	start := p.Variables[0].Conditions[0]
	free.Variables[0].Conditions = []pcd.Condition{{Values: start.Values, Window: pcd.Window{From: 30}}}
	p.Variables[0].Conditions[0].Window = pcd.Window{From: 30} // of the initial state only
	if _, err := pcd.Sample(t.Context(), free, pcd.Options{Samples: 20, Observer: keep}); !errors.Is(err, first) {
		t.Fatal(err)
	}
	estimates := make([]tensor.Batch, 2)
	for v, x := range states {
		pred := tensor.New(20, 4, 2)
		model := free.Variables[v].Model
		if err := model.Predict(t.Context(), pred, x, p.Dynamics.Timestep(28)); err != nil {
			t.Fatal(err)
		}
		a, b, _ := p.Dynamics.Estimate(model.Kind(), 28)
		estimates[v] = tensor.New(20, 4, 2)
		for j := range pred.Data {
			estimates[v].Data[j] = float32(a)*x.Data[j] + float32(b)*pred.Data[j]
		}
	}
	values := make([]float64, 20)
	if err := (cost.Hinge{Range: 3}).Add(t.Context(), values, nil, estimates, 1); err != nil {
		t.Fatal(err)
	}
	worst := slices.Max(values)
	for bound, want := range map[float64]int{worst: 0, math.Nextafter(worst, math.Inf(1)): 1} {
		p.Accept.Below = bound
		if r := mustSample(t, p, pcd.Options{Samples: 20}); r.Accepted != want {
			t.Errorf("bound %v, worst cost %v: %d steps accepted, want %d", bound, worst, r.Accepted, want)
		}
	}
}

// An accepted step that is left unprojected leaves its set and its conditions; the
// last step is always projected.
func TestAcceptanceUnprojected(t *testing.T) {
	for _, unprojected := range []bool{false, true} {
		p := accepted(t, &pcd.Acceptance{Cost: cost.Hinge{Range: 3}, Below: math.Inf(1), Unprojected: unprojected})
		left, moved := false, false
		watch := pcd.ObserverFunc(func(i pcd.StepInfo) error {
			x := i.Samples(0)
			for k := range x.N {
				moved = moved || x.Sample(k)[0] != 0
			}
			v := make([]float64, x.N)
			p.Variables[0].Project.Violation(v, x)
			left = left || slices.Max(v) > 0
			return nil
		})
		r := mustSample(t, p, pcd.Options{Samples: 20, Observer: watch})
		if left != unprojected || moved != unprojected || !r.Certificate.Certified {
			t.Errorf("unprojected %v: left the set %v, the condition %v, certified %v", unprojected, left, moved, r.Certificate.Certified)
		}
	}
}

// failing is a cost that cannot be evaluated.
type failing struct {
	cost.Cost
	err error
}

func (f failing) Add(context.Context, []float64, []tensor.Batch, []tensor.Batch, float64) error {
	return f.err
}

func TestAcceptanceErrors(t *testing.T) {
	failure := errors.New("no value")
	p := accepted(t, &pcd.Acceptance{Cost: failing{cost.Hinge{Range: 3}, failure}})
	var step *pcd.StepError
	if _, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 2}); !errors.Is(err, failure) || !errors.As(err, &step) || step.Step != 29 {
		t.Errorf("a cost that fails: %v, want a StepError of step 29", err)
	}
	for name, rule := range map[string]pcd.Acceptance{
		"no cost":          {},
		"NaN":              {Cost: cost.Hinge{Range: 3}, Below: math.NaN()},
		"unknown variable": {Cost: cost.Hinge{Range: 3}, Variables: []int{0, 2}},
		"one argument":     {Cost: cost.Hinge{Range: 3}, Variables: []int{0}},
	} {
		var invalid *pcd.ProblemError
		if _, err := pcd.Sample(t.Context(), accepted(t, &rule), pcd.Options{Samples: 2}); !errors.As(err, &invalid) {
			t.Errorf("%s: %v, want a ProblemError", name, err)
		}
	}
}
