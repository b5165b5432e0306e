package project

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// dualityGap returns the duality gap of a path x in float64 as the projection of
// p: with the forces that hold x in place, F_h = Σ_{k≥h} (p_k − x_k), it is
// Σ a‖F_h‖ − F_h·d_h, and ½‖x − x*‖² is at most that.
func dualityGap(p, x []float64, start []float32, limit float64) (gap float64) {
	fx, fy := 0.0, 0.0
	for at := len(x) - 2; at >= 0; at -= 2 {
		fx += p[at] - x[at]
		fy += p[at+1] - x[at+1]
		bx, by := float64(start[0]), float64(start[1])
		if at > 0 {
			bx, by = x[at-2], x[at-1]
		}
		gap += limit*math.Hypot(fx, fy) - fx*(x[at]-bx) - fy*(x[at+1]-by)
	}
	return gap
}

// TestSpeedLimitOptimalAtAnyLength holds paths of all lengths and kinds to their
// duality gap, which owes nothing to the solver.
func TestSpeedLimitOptimalAtAnyLength(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of many paths, whose goroutines the laws watch")
	}
	for _, n := range []int{1, 2, 3, 63, 512, 4096} {
		for _, noise := range []float64{0.02, 0.3, 3} {
			for _, limit := range []float64{0.0005, 0.02, 0.2} {
				x, start := noisyPaths(uint64(n), 2, n, noise)
				s, err := NewSpeedLimit(limit, Path{Start: start})
				if err != nil {
					t.Fatal(err)
				}
				for k := range x.N {
					p, y := make([]float64, 2*n), make([]float64, 2*n)
					for i, v := range x.Sample(k) {
						p[i] = float64(v)
					}
					s.ProjectExact(y, p, x.Shape, k)
					gap := dualityGap(p, y, start.Sample(k), limit)
					// The gap is a difference of sums of this size.
					rounding := 1e-15 * float64(n) * float64(n) * noise * limit
					if bound := math.Sqrt(2 * max(0, gap-rounding)); bound > 1e-6 {
						t.Errorf("n = %d, noise %v, limit %v: the exact solution may be %g away", n, noise, limit, bound)
					}
				}
			}
		}
	}
}

// TestMechanismsAgree solves planar paths by the chain and, as paths in space, by
// the banded system.
func TestMechanismsAgree(t *testing.T) {
	for _, noise := range []float64{0.02, 0.3, 3} {
		x, start := noisyPaths(9, 8, 63, noise)
		planar, err := NewSpeedLimit(0.05, Path{Start: start})
		if err != nil {
			t.Fatal(err)
		}
		start3 := tensor.New(8, 3)
		for k := range 8 {
			copy(start3.Sample(k), start.Sample(k))
		}
		space, err := NewSpeedLimit(0.05, Path{Start: start3})
		if err != nil {
			t.Fatal(err)
		}
		for k := range x.N {
			p2, p3 := make([]float64, 2*63), make([]float64, 3*63)
			for h := range 63 {
				for i := range 2 {
					p2[2*h+i] = float64(x.Sample(k)[2*h+i])
					p3[3*h+i] = p2[2*h+i]
				}
			}
			planar.ProjectExact(p2, p2, tensor.Shape{63, 2}, k)
			space.ProjectExact(p3, p3, tensor.Shape{63, 3}, k)
			for h := range 63 {
				if d := math.Hypot(p2[2*h]-p3[3*h], p2[2*h+1]-p3[3*h+1]); d > 1e-10 || p3[3*h+2] != 0 {
					t.Fatalf("noise %v, row %d, point %d: %v and %v", noise, k, h, p2[2*h:2*h+2], p3[3*h:3*h+3])
				}
			}
		}
	}
}
