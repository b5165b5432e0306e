package project

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func TestPublishedADMMGolden(t *testing.T) {
	for _, tc := range []struct {
		set, name string
		options   ADMMOptions
	}{
		{"normalised", "launcher", ADMMNavigation},
		{"normalised", "yaml", ADMMNavigationFile},
		{"raw", "launcher", ADMMNavigation},
		{"pusht", "fixed250", ADMMPushT},
	} {
		g := readNPZ(t, "velocity_"+tc.set+".npz")
		shape := g["x_hat"].shape
		x := batchOf(t, float32s(g["x_hat"].data), shape[1:]...)
		start := batchOf(t, float32s(g["anchor"].data), 2)
		for i, limit := range g["a"].data {
			p, err := NewPublishedADMM(limit, Path{Start: start}, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			out := tensor.New(x.N, shape[1:]...)
			r, err := p.Project(context.Background(), out, x)
			if err != nil {
				t.Fatal(err)
			}
			if want := int(g["admm_"+tc.name+"_iterations"].data[i]); r.MaxIterations != want {
				t.Errorf("%s %s, a = %v: %d iterations, want %d", tc.set, tc.name, limit, r.MaxIterations, want)
			}
			if d := farthest32(out.Data, g["admm_"+tc.name].row(i)); d > 2e-5 {
				t.Errorf("%s %s, a = %v: off by %.3g, want 2e-5", tc.set, tc.name, limit, d)
			}
			if r.Status == Converged && r.ViolationAfter > 0 {
				t.Errorf("%s %s, a = %v: converged with violation %g", tc.set, tc.name, limit, r.ViolationAfter)
			}
		}
	}
}

func TestPublishedADMMTrace(t *testing.T) {
	for _, tc := range []struct {
		set string
		rho float64
	}{{"normalised", 10}, {"raw", 10}, {"pusht", 6}} {
		g := readNPZ(t, "velocity_"+tc.set+".npz")
		n := g["x_hat"].shape[1]
		a := newADMM[float64](n, true, tc.rho, g["a"].data[1])
		for k := range g["trace_float64"].shape[1] {
			s := newADMMState[float64](n, 2)
			copy(s.start, g["anchor"].row(k))
			copy(s.target, g["x_hat"].row(k))
			done := 0
			for i, iterations := range []int{1, 2, 10, 100} {
				for ; done < iterations; done++ {
					a.iterate(s)
				}
				if d, _ := farthest(s.x, g["trace_float64"].row(i, k)); !(d <= 1e-10) {
					t.Errorf("%s, row %d after %d iterations: off by %.3g, want 1e-10", tc.set, k, iterations, d)
				}
			}
		}
	}
}

func TestPublishedADMMFreeStart(t *testing.T) {
	g := readNPZ(t, "velocity_base_class.npz")
	x := batchOf(t, float32s(g["x_hat"].data), 63, 2)
	options := ADMMOptions{Penalty: 10, MaxIterations: 1000, Tolerance: 3e-6, CheckPeriod: 1, FreeStart: true}

	start := batchOf(t, float32s(g["anchor"].data), 2)
	checkFreeStart(t, "start prepended", Path{Start: start}, options, x, g["out_with_pos_init"].data)

	// Without a start, the path is the one that begins at its own first point.
	first := tensor.New(x.N, 2)
	for k := range x.N {
		copy(first.Sample(k), x.Sample(k)[:2])
	}
	checkFreeStart(t, "no start", Path{Start: first, Skip: 1}, options, x, g["out_without"].data)
}

func checkFreeStart(t *testing.T, name string, p Path, o ADMMOptions, x tensor.Batch, want []float64) {
	t.Helper()
	s, err := NewPublishedADMM(0.06, p, o)
	if err != nil {
		t.Fatal(err)
	}
	out := tensor.New(x.N, x.Shape...)
	r, err := s.Project(context.Background(), out, x)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for k := range out.N {
		for i := 2 * p.Skip; i < out.Size(); i++ { // a dropped start is not compared
			worst = max(worst, math.Abs(float64(out.Sample(k)[i])-want[k*out.Size()+i]))
		}
	}
	if worst > 2e-5 {
		t.Errorf("%s: off by %.3g, want 2e-5; %+v", name, worst, r)
	}
}

func TestPublishedADMMRejects(t *testing.T) {
	start := tensor.New(1, 2)
	for _, tc := range []struct {
		name string
		p    Path
		o    ADMMOptions
	}{
		{"no penalty", Path{Start: start}, ADMMOptions{MaxIterations: 1, CheckPeriod: 1}},
		{"NaN penalty", Path{Start: start}, ADMMOptions{Penalty: math.NaN(), MaxIterations: 1, CheckPeriod: 1}},
		{"no iterations", Path{Start: start}, ADMMOptions{Penalty: 1, CheckPeriod: 1}},
		{"goal", Path{Start: start, Goal: start}, ADMMNavigation},
	} {
		var pe *ParameterError
		if _, err := NewPublishedADMM(0.1, tc.p, tc.o); !errors.As(err, &pe) {
			t.Errorf("%s: %v, want a *ParameterError", tc.name, err)
		}
	}
}
