package published_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// batchOf returns an array of a golden file, [row, ...].
func batchOf(t *testing.T, g *golden.Archive, name string) tensor.Batch {
	t.Helper()
	b, err := tensor.Of(g.Float32(name), g.Shape(name)[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// part returns part i of n parts of an array.
func part(v []float64, i, n int) []float64 { return v[i*len(v)/n : (i+1)*len(v)/n] }

func TestADMMGolden(t *testing.T) {
	for _, tc := range []struct {
		set, name string
		options   published.ADMMOptions
	}{
		{"normalised", "launcher", published.ADMMNav2D},
		{"normalised", "yaml", published.ADMMOptions{Penalty: 6, MaxIterations: 500, Tolerance: 1e-5, CheckPeriod: 200}}, // of configuration files
		{"raw", "launcher", published.ADMMNav2D},
		{"pusht", "fixed250", published.ADMMPushT},
	} {
		g := golden.Open(t, "../../project/testdata/velocity_"+tc.set+".npz")
		x, start := batchOf(t, g, "x_hat"), batchOf(t, g, "anchor")
		want, iterations := g.Float64("admm_"+tc.name), g.Float64("admm_"+tc.name+"_iterations")
		limits := g.Float64("a")
		for i, limit := range limits {
			p, err := published.NewADMM(limit, project.Path{Start: start}, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			out := tensor.New(x.N, x.Shape...)
			r, err := p.Project(context.Background(), out, x)
			if err != nil {
				t.Fatal(err)
			}
			if want := int(iterations[i]); r.MaxIterations != want {
				t.Errorf("%s %s, a = %v: %d iterations, want %d", tc.set, tc.name, limit, r.MaxIterations, want)
			}
			golden.Close(t, tc.set+" "+tc.name, out.Data, part(want, i, len(limits)), 2e-5, 0)
			if r.Status == project.Converged && r.ViolationAfter > 0 {
				t.Errorf("%s %s, a = %v: converged with violation %g", tc.set, tc.name, limit, r.ViolationAfter)
			}
		}
	}
}

func TestADMMFreeStart(t *testing.T) {
	g := golden.Open(t, "../../project/testdata/velocity_base_class.npz")
	x := batchOf(t, g, "x_hat")
	options := published.ADMMOptions{Penalty: 10, MaxIterations: 1000, Tolerance: 3e-6, CheckPeriod: 1, FreeStart: true}
	checkFreeStart(t, "start prepended", project.Path{Start: batchOf(t, g, "anchor")}, options, x, g.Float64("out_with_pos_init"))

	// Without a start, the path is the one that begins at its own first point.
	first := tensor.New(x.N, 2)
	for k := range x.N {
		copy(first.Sample(k), x.Sample(k)[:2])
	}
	checkFreeStart(t, "no start", project.Path{Start: first, Skip: 1}, options, x, g.Float64("out_without"))
}

func checkFreeStart(t *testing.T, name string, p project.Path, o published.ADMMOptions, x tensor.Batch, want []float64) {
	t.Helper()
	s, err := published.NewADMM(0.06, p, o)
	if err != nil {
		t.Fatal(err)
	}
	out := tensor.New(x.N, x.Shape...)
	if _, err := s.Project(context.Background(), out, x); err != nil {
		t.Fatal(err)
	}
	for k := range out.N {
		dropped := 2 * p.Skip // a dropped start is not compared
		golden.Close(t, name, out.Sample(k)[dropped:], part(want, k, out.N)[dropped:], 2e-5, 0)
	}
}

func TestADMMRejects(t *testing.T) {
	start := tensor.New(1, 2)
	for _, tc := range []struct {
		name string
		p    project.Path
		o    published.ADMMOptions
	}{
		{"no penalty", project.Path{Start: start}, published.ADMMOptions{MaxIterations: 1, CheckPeriod: 1}},
		{"NaN penalty", project.Path{Start: start}, published.ADMMOptions{Penalty: math.NaN(), MaxIterations: 1, CheckPeriod: 1}},
		{"no iterations", project.Path{Start: start}, published.ADMMOptions{Penalty: 1, CheckPeriod: 1}},
		{"goal", project.Path{Start: start, Goal: start}, published.ADMMNav2D},
	} {
		var pe *project.ParameterError
		if _, err := published.NewADMM(0.1, tc.p, tc.o); !errors.As(err, &pe) {
			t.Errorf("%s: %v, want a *project.ParameterError", tc.name, err)
		}
	}
}
