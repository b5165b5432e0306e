package projectbench_test

import (
	"context"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/projectbench"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// TestYardstickIsThePublishedIteration keeps the yardstick honest.
func TestYardstickIsThePublishedIteration(t *testing.T) {
	for _, limit := range []float64{0.02, 0.1} {
		x, start := projectbench.Paths(3, 16, 63, 0.2)
		p, err := published.NewADMM(limit, project.Path{Start: start}, published.ADMMNav2D)
		if err != nil {
			t.Fatal(err)
		}
		want, got := tensor.New(16, 63, 2), tensor.New(16, 63, 2)
		r, err := p.Project(context.Background(), want, x)
		if err != nil {
			t.Fatal(err)
		}
		n := projectbench.NewDenseLU(63, published.ADMMNav2D).Project(got, x, start, limit)
		if n != r.MaxIterations {
			t.Errorf("limit %v: %d iterations, want %d", limit, n, r.MaxIterations)
		}
		for i, v := range got.Data {
			if d := math.Abs(float64(v) - float64(want.Data[i])); d > 2e-5 {
				t.Fatalf("limit %v: element %d is off by %g, want 2e-5", limit, i, d)
			}
		}
	}
}

func TestRows(t *testing.T) {
	ctx := context.Background()
	s, err := projectbench.SpeedLimit(ctx, 1, 8, 63, 0.2, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if !(s.Violation <= 0 && s.Deviation <= 1e-5 && s.Active > 0.5 && s.Ratio > 0 && s.YardstickDeviation < 1e-2) {
		t.Errorf("SpeedLimit = %+v", s)
	}
	l, err := projectbench.Length(ctx, 1, 255, 0.2, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	if !(l.Violation <= 0 && l.DistanceBound < 1e-6 && l.Deviation < 1e-4 && l.NanosPerPoint > 0) {
		t.Errorf("Length = %+v", l)
	}
	h, err := projectbench.Hull(ctx, 1, 4, 256, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !(h.Violation <= 0 && h.Ratio > 0) {
		t.Errorf("Hull = %+v", h)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := projectbench.SpeedLimit(cancelled, 1, 2, 5, 0.1, 0.1); err == nil {
		t.Error("SpeedLimit with a cancelled context = nil, want an error")
	}
}
