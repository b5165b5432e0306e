package pcd_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// acceptor is a function as an acceptor.
type acceptor func(next []tensor.Batch, i int) (pcd.Verdict, error)

func (a acceptor) Accept(_ context.Context, next []tensor.Batch, i int) (pcd.Verdict, error) {
	return a(next, i)
}

// accepted is a hinge between two variables on 30 steps of DDPM.
func accepted(t *testing.T, a pcd.Acceptor) pcd.Problem {
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
		Accept:    a,
	}
}

// Steps that are accepted are those without the coupling, others are what they were, and the
// run is cut and counted as it says.
func TestAcceptedStepsAreUncoupled(t *testing.T) {
	coupled := accepted(t, nil)
	last := coupled
	last.Couplings = []pcd.Coupling{{Cost: cost.Hinge{Range: 3}, Strength: 0.1, Window: pcd.Window{To: 1}}}
	for _, tc := range []struct {
		verdict pcd.Verdict
		want    pcd.Problem
		taken   int
	}{{pcd.Unguided, last, 29}, {pcd.Guided, coupled, 0}} {
		shown := 0
		p := accepted(t, acceptor(func(next []tensor.Batch, i int) (pcd.Verdict, error) {
			shown = max(shown, next[1].N)
			if i == 0 {
				return pcd.Guided, nil
			}
			return tc.verdict, nil
		}))
		want := mustSample(t, tc.want, pcd.Options{Samples: 20})
		got := mustSample(t, p, pcd.Options{Samples: 20, Workers: 3, ChunkSize: 3})
		if got.Accepted != tc.taken || shown != 20 {
			t.Errorf("verdict %d: %d steps accepted, %d samples shown; want %d and 20", tc.verdict, got.Accepted, shown, tc.taken)
		}
		for v := range want.Samples {
			if !slices.Equal(got.Samples[v].Data, want.Samples[v].Data) {
				t.Errorf("verdict %d: variable %d differs", tc.verdict, v)
			}
		}
	}
}

// The acceptor is shown where the models lead: what the step gives without coupling,
// projection and conditions.
func TestAcceptorSeesTheFreeStep(t *testing.T) {
	first := errors.New("first step")
	var states, shown [2]tensor.Batch
	keep := pcd.ObserverFunc(func(i pcd.StepInfo) error {
		states = [2]tensor.Batch{i.Samples(0), i.Samples(1)}
		return first
	})
	p := accepted(t, acceptor(func(next []tensor.Batch, i int) (pcd.Verdict, error) {
		if i == 29 {
			shown = [2]tensor.Batch{next[0].Clone(), next[1].Clone()}
		}
		return pcd.Untouched, nil
	}))
	free := p
	free.Accept, free.Couplings, free.Variables = nil, nil, slices.Clone(p.Variables)
	free.Variables[0].Project, free.Variables[0].Conditions = nil, nil
	for _, q := range []pcd.Problem{free, p} { // untouched steps are free ones
		if _, err := pcd.Sample(t.Context(), q, pcd.Options{Samples: 20, Observer: keep}); !errors.Is(err, first) {
			t.Fatal(err)
		}
		if q.Accept == nil {
			continue
		}
		for v := range states {
			if !slices.Equal(states[v].Data, shown[v].Data) {
				t.Errorf("variable %d: an untouched step leads to %v, shown was %v", v, states[v].Data[:2], shown[v].Data[:2])
			}
		}
	}
}

// An untouched step leaves its set and its conditions, an unguided one does not.
func TestUntouchedSteps(t *testing.T) {
	for _, verdict := range []pcd.Verdict{pcd.Unguided, pcd.Untouched} {
		p := accepted(t, acceptor(func(_ []tensor.Batch, i int) (pcd.Verdict, error) {
			if i == 0 {
				return pcd.Guided, nil
			}
			return verdict, nil
		}))
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
		if want := verdict == pcd.Untouched; left != want || moved != want || !r.Certificate.Certified {
			t.Errorf("verdict %d: left the set %v, the condition %v, certified %v", verdict, left, moved, r.Certificate.Certified)
		}
	}
}

// What an acceptor fails with is told with its step.
func TestFailureOfTheAcceptor(t *testing.T) {
	failure := errors.New("failure")
	_, err := pcd.Sample(t.Context(), accepted(t, acceptor(func([]tensor.Batch, int) (pcd.Verdict, error) { return pcd.Guided, failure })), pcd.Options{Samples: 2})
	var at *pcd.StepError
	if !errors.Is(err, failure) || !errors.As(err, &at) || at.Step != 29 {
		t.Errorf("Sample = %v, want the failure at step 29", err)
	}
}
