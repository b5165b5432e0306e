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

// watched is a cost that sees the whole batch and makes nothing of it.
type watched struct{ cost.Cost }

func (watched) Observe([]tensor.Batch) {}

// The chunks of a run with a batch-wide cost share their buffers, and still do not
// get in each other's way.
func TestBatchwideCostsOnManyGoroutines(t *testing.T) {
	s := cosine(t, 30)
	shape := tensor.Shape{4, 2}
	c := pcd.Coupling{Cost: watched{cost.Hinge{Range: 3}}, Strength: 0.1, At: pcd.AtMean}
	clipped := c
	clipped.Transforms = []pcd.Transform{pcd.ClipPoints{}}
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, shape, 0, 1, s)}, {Model: gaussian(t, shape, 0, 1, s)}},
		Couplings: []pcd.Coupling{c, clipped},
		Dynamics:  pcd.DDPM{Schedule: s},
	}
	want := mustSample(t, p, pcd.Options{Samples: 300, Workers: 1, ChunkSize: 300})
	for range 5 {
		got := mustSample(t, p, pcd.Options{Samples: 300, Workers: 8, ChunkSize: 1})
		for v := range want.Samples {
			if !slices.Equal(got.Samples[v].Data, want.Samples[v].Data) {
				t.Fatalf("variable %d differs between one chunk and chunks of one tuple on 8 goroutines", v)
			}
		}
	}
}

// A coupling that is accepted at every step leaves the samples as they are without
// it; one that never is changes nothing; the states it is asked about are those of
// the uncoupled run.
func TestAcceptLeavesStepsUncoupled(t *testing.T) {
	s := cosine(t, 30)
	shape := tensor.Shape{4, 2}
	c := pcd.Coupling{Cost: cost.Hinge{Range: 3}, Strength: 0.1}
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, shape, 0, 1, s)}, {Model: gaussian(t, shape, 0, 1, s)}},
		Dynamics:  pcd.DDPM{Schedule: s},
	}
	free := mustSample(t, p, pcd.Options{Samples: 20})
	var states []tensor.Batch // after each step of the uncoupled run
	keep := pcd.ObserverFunc(func(i pcd.StepInfo) error { states = append(states, i.Samples(1)); return nil })
	mustSample(t, p, pcd.Options{Samples: 20, Observer: keep})
	p.Couplings = []pcd.Coupling{c}
	coupled := mustSample(t, p, pcd.Options{Samples: 20})
	if slices.Equal(coupled.Samples[0].Data, free.Samples[0].Data) {
		t.Fatal("the coupling does nothing")
	}
	asked := 0
	for _, answer := range []bool{true, false} {
		p.Couplings[0].Accept = func(_ context.Context, next []tensor.Batch, step int) (bool, error) {
			if answer && !slices.Equal(next[1].Data, states[29-step].Data) {
				t.Errorf("step %d: asked about another state than the uncoupled one", step)
			}
			asked++
			return answer, nil
		}
		got := mustSample(t, p, pcd.Options{Samples: 20, Workers: 3, ChunkSize: 3})
		want := coupled
		if answer {
			want = free
		}
		for v := range want.Samples {
			if !slices.Equal(got.Samples[v].Data, want.Samples[v].Data) {
				t.Errorf("accepted %v: variable %d differs", answer, v)
			}
		}
	}
	if asked != 60 {
		t.Errorf("asked %d times, want once a step", asked)
	}
	failure := errors.New("no answer")
	p.Couplings[0].Accept = func(context.Context, []tensor.Batch, int) (bool, error) { return false, failure }
	if _, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 2}); !errors.Is(err, failure) {
		t.Errorf("a failing judge: %v", err)
	}
}
