package pcd_test

import (
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
