package project

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func TestWarmStart(t *testing.T) {
	x, start := noisyPaths(4, 32, 63, 0.1)
	s, err := NewSpeedLimit(0.05, Path{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	var w WarmStarter = s
	memory := make([]float64, x.N*w.MemorySize(x.Shape))
	ctx := context.Background()
	cold, warm := tensor.New(32, 63, 2), tensor.New(32, 63, 2)
	first, err := s.Project(ctx, cold, x)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.ProjectFrom(ctx, warm, x, memory)
	if err != nil || r != first || farthest32(warm.Data, widened(cold)) != 0 {
		t.Fatalf("ProjectFrom zeros = %+v, %v, want what Project does: %+v", r, err, first)
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	for i := range x.Data {
		x.Data[i] += float32(0.001 * rnd.NormFloat64())
	}
	again, err := s.Project(ctx, cold, x)
	if err != nil {
		t.Fatal(err)
	}
	r, err = w.ProjectFrom(ctx, warm, x, memory)
	if err != nil || r.Status != Converged || r.ViolationAfter > 0 {
		t.Fatalf("ProjectFrom = %+v, %v", r, err)
	}
	if d := farthest32(warm.Data, widened(cold)); d > 1e-6 {
		t.Errorf("warm and cold results differ by %g, want rounding", d)
	}
	if 4*r.Iterations > 3*again.Iterations {
		t.Errorf("%d iterations from the memory of a similar path, %d without, want at most three quarters", r.Iterations, again.Iterations)
	}
	memory[5] = inf // not a state of this projector
	if r, err = w.ProjectFrom(ctx, warm, x, memory); err != nil || r.ViolationAfter > 0 {
		t.Errorf("ProjectFrom a broken memory = %+v, %v", r, err)
	}
	if _, err = w.ProjectFrom(ctx, warm, x, memory[1:]); err == nil {
		t.Error("ProjectFrom a memory that is too short = nil, want an error")
	}
}

func widened(b tensor.Batch) []float64 {
	v := make([]float64, len(b.Data))
	for i, e := range b.Data {
		v[i] = float64(e)
	}
	return v
}
