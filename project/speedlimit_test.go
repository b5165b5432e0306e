package project

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func batchOf(t testing.TB, data []float32, shape ...int) tensor.Batch {
	t.Helper()
	b, err := tensor.Of(data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noisyPaths returns paths along an arc of length 1.08 plus noise, and their
// starts.
func noisyPaths(seed uint64, rows, n int, noise float64) (x, start tensor.Batch) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, start = tensor.New(rows, n, 2), tensor.New(rows, 2)
	for k := range rows {
		phase := 2 * math.Pi * r.Float64()
		for h := 0; h <= n; h++ {
			s, c := math.Sincos(phase + 1.8*float64(h)/float64(n))
			if h == 0 {
				copy(start.Sample(k), []float32{float32(0.6 * c), float32(0.6 * s)})
				continue
			}
			x.Sample(k)[2*h-2] = float32(0.6*c + noise*r.NormFloat64())
			x.Sample(k)[2*h-1] = float32(0.6*s + noise*r.NormFloat64())
		}
	}
	return x, start
}

func TestSpeedLimitGolden(t *testing.T) {
	for _, set := range []string{"normalised", "raw", "pusht"} {
		g := readNPZ(t, "velocity_"+set+".npz")
		shape := g["x_hat"].shape
		x := batchOf(t, float32s(g["x_hat"].data), shape[1:]...)
		start := batchOf(t, float32s(g["anchor"].data), 2)
		for i, a := range g["a"].data {
			s, err := NewSpeedLimit(a, Path{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float64, x.Size())
			for k := range x.N {
				s.ProjectExact(got, g["x_hat"].row(k), x.Shape, k)
				if d, _ := farthest(got, g["exact"].row(i, k)); !(d <= 1e-9) {
					t.Errorf("%s, a = %v, row %d: exact solution is off by %.3g, want 1e-9", set, a, k, d)
				}
			}
			out := tensor.New(x.N, shape[1:]...)
			r, err := s.Project(context.Background(), out, x)
			if err != nil || r.Status != Converged || r.ViolationAfter > 0 {
				t.Errorf("%s, a = %v: Project = %+v, %v", set, a, r, err)
			}
			if r.MaxIterations > 30 {
				t.Errorf("%s, a = %v: %d iterations", set, a, r.MaxIterations)
			}
			worst := 0.0
			for j, v := range g["exact"].row(i) {
				worst = max(worst, math.Abs(v-float64(out.Data[j])))
			}
			if worst > 1e-5 {
				t.Errorf("%s, a = %v: float32 result is off by %.3g, want 1e-5", set, a, worst)
			}
		}
	}
}

// TestSpeedLimitMultipliers compares the multipliers of the exact solutions: half of
// λ_h (‖d_h‖² − a²) is what holds step h, so that its force is λ_h d_h.
func TestSpeedLimitMultipliers(t *testing.T) {
	for _, set := range []string{"normalised", "raw", "pusht"} {
		g := readNPZ(t, "velocity_"+set+".npz")
		shape := g["x_hat"].shape
		n := shape[1]
		start := batchOf(t, float32s(g["anchor"].data), 2)
		for i, a := range g["a"].data {
			s, err := NewSpeedLimit(a, Path{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			for k := range shape[0] {
				p, x, got := g["x_hat"].row(k), make([]float64, 2*n), make([]float64, n)
				s.ProjectExact(x, p, tensor.Shape{n, 2}, k)
				slack := multipliers(got, p, x, start.Sample(k), a)
				want, largest := g["multipliers"].row(i, k), 1.0
				for _, m := range want {
					largest = max(largest, m)
				}
				// A multiplier is a sum of up to n residuals divided by the limit.
				if d, h := farthest(got, want); !(d <= 1e-9*largest/a) {
					t.Errorf("%s, a = %v, row %d: multiplier %d is %v, want %v", set, a, k, h, got[h], want[h])
				}
				if most := max(g["kkt_residual"].row(i)[k], 1e-9); slack > most {
					t.Errorf("%s, a = %v, row %d: the steps miss their forces by %.3g, want %.3g", set, a, k, slack, most)
				}
			}
		}
	}
}

// multipliers writes those of the solution x for the path p, and returns by how much
// a force is not along its step.
func multipliers(dst, p, x []float64, start []float32, limit float64) (across float64) {
	fx, fy := 0.0, 0.0
	for h := len(dst) - 1; h >= 0; h-- {
		fx, fy = fx+p[2*h]-x[2*h], fy+p[2*h+1]-x[2*h+1]
		bx, by := float64(start[0]), float64(start[1])
		if h > 0 {
			bx, by = x[2*h-2], x[2*h-1]
		}
		dx, dy := x[2*h]-bx, x[2*h+1]-by
		if dst[h] = 0; math.Hypot(dx, dy) > limit*(1-1e-9) {
			dst[h] = (fx*dx + fy*dy) / (limit * limit)
		}
		across = max(across, math.Hypot(fx-dst[h]*dx, fy-dst[h]*dy))
	}
	return across
}

func BenchmarkSpeedLimit(b *testing.B) {
	for _, noise := range []float64{0.02, 0.05, 0.1, 0.2, 0.5, 1} {
		for _, limit := range []float64{0.02, 0.05, 0.1, 0.2} {
			b.Run(fmt.Sprintf("noise=%v/limit=%v", noise, limit), func(b *testing.B) {
				x, start := noisyPaths(1, 512, 63, noise)
				s, err := NewSpeedLimit(limit, Path{Start: start})
				if err != nil {
					b.Fatal(err)
				}
				dst := tensor.New(x.N, 63, 2)
				b.ReportAllocs()
				var r Report
				for b.Loop() {
					r, err = s.Project(context.Background(), dst, x)
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1000/float64(b.N*x.N), "µs/path")
				b.ReportMetric(float64(r.Iterations)/float64(x.N), "it/path")
				b.ReportMetric(float64(r.MaxIterations), "maxit")
			})
		}
	}
}
