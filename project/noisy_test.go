package project

import (
	"context"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// TestNoisyPathsAreExact holds every path of the benchmark's grid, float32 result
// and float64 solution, to the optimum by the duality gap and by each other.
func TestNoisyPathsAreExact(t *testing.T) {
	const rows, n = 128, 63
	for _, noise := range []float64{0.02, 0.2, 1} {
		for _, limit := range []float64{0.02, 0.05, 0.2} {
			x, start := noisyPaths(1, rows, n, noise)
			s, err := NewSpeedLimit(limit, Path{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			out := tensor.New(rows, n, 2)
			r, err := s.Project(context.Background(), out, x)
			if err != nil || r.Status != Converged || r.ViolationAfter > 0 {
				t.Errorf("noise %v, limit %v: %+v, %v", noise, limit, r, err)
			}
			for k := range rows {
				p := widened(x.Rows(k, k+1))
				y := make([]float64, len(p))
				s.ProjectExact(y, p, x.Shape, k)
				if gap := dualityGap(p, y, start.Sample(k), limit); !(gap <= 1e-13*(1+noise)) {
					t.Errorf("noise %v, limit %v, row %d: duality gap %g", noise, limit, k, gap)
				}
				if d := farthest32(out.Sample(k), y); !(d <= 5e-6) {
					t.Errorf("noise %v, limit %v, row %d: float32 result is %g from the exact one", noise, limit, k, d)
				}
			}
		}
	}
}
