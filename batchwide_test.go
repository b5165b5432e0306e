package pcd_test

import (
	"context"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// batchwide is a cost that says that it sees the whole batch, and keeps how many tuples it
// was shown at once.
type batchwide struct {
	cost.Cost
	shown *[]int
}

func (b batchwide) Batchwide() {}

func (b batchwide) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	*b.shown = append(*b.shown, x[0].N)
	return b.Cost.Add(ctx, value, grad, x, weight)
}

// A cost that looks at the batch sees all of it at every step, however the run is cut, and
// wherever the gradient is taken. Otherwise the samples are those of other runs.
func TestBatchwideCostsSeeTheBatch(t *testing.T) {
	s := cosine(t, 30)
	shape := tensor.Shape{4, 2}
	for _, at := range []pcd.Placement{pcd.AtState, pcd.AtMean, pcd.AtEstimate} {
		p := pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, shape, 0, 1, s)}, {Model: gaussian(t, shape, 0, 1, s)}},
			Couplings: []pcd.Coupling{{Cost: cost.Hinge{Range: 3}, Strength: 0.1, At: at, Transforms: []pcd.Transform{pcd.ClipPoints{}}}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}
		want := mustSample(t, p, pcd.Options{Samples: 300, Workers: 1})
		var shown []int
		p.Couplings[0].Cost = batchwide{cost.Hinge{Range: 3}, &shown}
		got := mustSample(t, p, pcd.Options{Samples: 300, Workers: 8, ChunkSize: 7})
		if len(shown) != 30 || slices.Min(shown) != 300 {
			t.Errorf("at %v: the cost was shown %v tuples, want 300 at each of 30 steps", at, shown)
		}
		for v := range want.Samples {
			if !slices.Equal(got.Samples[v].Data, want.Samples[v].Data) {
				t.Errorf("at %v: variable %d differs", at, v)
			}
		}
	}
}

// What package cost makes of such a cost sees the batch, too.
func TestCostsMadeOfBatchwideSeeTheBatch(t *testing.T) {
	s := cosine(t, 3)
	x := pcd.Variable{Model: gaussian(t, tensor.Shape{4, 2}, 0, 1, s)}
	for name, of := range map[string]func(cost.Cost) cost.Cost{
		"sum":    func(c cost.Cost) cost.Cost { return cost.Sum(cost.DPP{}, c) },
		"scale":  func(c cost.Cost) cost.Cost { return cost.Scale(c, 2) },
		"graph":  func(c cost.Cost) cost.Cost { return cost.Graph(c, cost.Edge{I: 0, J: 1}) },
		"pairs":  func(c cost.Cost) cost.Cost { return cost.Pairwise(c) },
		"detach": func(c cost.Cost) cost.Cost { return cost.Detach(c, 1) },
		"swept":  func(c cost.Cost) cost.Cost { return cost.Sum(cost.NewSwept(c, 1)) },
	} {
		var shown []int
		p := pcd.Problem{
			Variables: []pcd.Variable{x, x}, Dynamics: pcd.DDPM{Schedule: s},
			Couplings: []pcd.Coupling{{Cost: of(batchwide{cost.Hinge{Range: 3}, &shown}), Strength: 0.1}},
		}
		mustSample(t, p, pcd.Options{Samples: 20, Workers: 1, ChunkSize: 8})
		if len(shown) != 3 || slices.Min(shown) != 20 {
			t.Errorf("%s: the cost was shown %v tuples, want 20 at each of 3 steps", name, shown)
		}
	}
}

// blocks is a model that keeps how many rows it was given.
type blocks struct {
	denoise.Denoiser
	rows chan int
}

func (b blocks) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	b.rows <- x.N
	return b.Denoiser.Predict(ctx, dst, x, t)
}

// Goroutines share the work of the models, also where the batch stays together.
func TestModelsOfWholeBatchesWorkInBlocks(t *testing.T) {
	s := cosine(t, 3)
	rows := make(chan int, 100)
	var shown []int
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: blocks{gaussian(t, tensor.Shape{2}, 0, 1, s), rows}}, {Model: gaussian(t, tensor.Shape{2}, 0, 1, s)}},
		Couplings: []pcd.Coupling{{Cost: batchwide{cost.Hinge{Range: 3}, &shown}, Strength: 0.1}},
		Dynamics:  pcd.DDPM{Schedule: s},
	}
	mustSample(t, p, pcd.Options{Samples: 20, Workers: 2, ChunkSize: 8})
	close(rows)
	var got []int
	for n := range rows {
		got = append(got, n)
	}
	slices.Sort(got)
	if want := []int{4, 4, 4, 8, 8, 8, 8, 8, 8}; !slices.Equal(got, want) {
		t.Errorf("the model was given %v rows, want %v", got, want)
	}
}
