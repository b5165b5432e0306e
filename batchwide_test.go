package pcd_test

import (
	"context"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/tensor"
)

// watched is a cost that sees the whole batch and makes nothing of it.
type watched struct{ cost.Cost }

func (w watched) Observe([]tensor.Batch) cost.Cost { return w.Cost }

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

// seen is a batch-wide cost that keeps what it is shown.
type seen struct {
	cost.Cost
	x *[]tensor.Batch
}

func (s seen) Observe(x []tensor.Batch) cost.Cost {
	*s.x = nil
	for _, b := range x {
		*s.x = append(*s.x, b.Clone())
	}
	return s.Cost
}

// given is a cost that keeps where it is asked for a gradient.
type given struct {
	cost.Cost
	x *[]tensor.Batch
}

func (g given) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	*g.x = nil
	for _, b := range x {
		*g.x = append(*g.x, b.Clone())
	}
	return g.Cost.Add(ctx, value, grad, x, weight)
}

// A batch-wide cost sees the place where the gradient is taken, whatever it is.
func TestBatchwideCostsSeeThePlaceOfTheGradient(t *testing.T) {
	s := cosine(t, 3)
	shape := tensor.Shape{4, 2}
	for _, at := range []pcd.Placement{pcd.AtState, pcd.AtMean, pcd.AtEstimate} {
		var shown, used []tensor.Batch
		p := pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, shape, 0, 1, s)}, {Model: gaussian(t, shape, 0, 1, s)}},
			Couplings: []pcd.Coupling{{Cost: seen{given{cost.Hinge{Range: 3}, &used}, &shown}, Strength: 0.1, At: at}},
			Dynamics:  pcd.DDPM{Schedule: s, Clip: 1},
		}
		mustSample(t, p, pcd.Options{Samples: 5, Workers: 1, ChunkSize: 5})
		for v := range 2 {
			if !slices.Equal(shown[v].Data, used[v].Data) {
				t.Errorf("at %v: variable %d is shown %v, and its gradient taken at %v", at, v, shown[v].Data[:2], used[v].Data[:2])
			}
		}
	}
}
