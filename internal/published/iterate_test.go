package published

import (
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
)

// TestADMMTrace compares single iterations in float64.
func TestADMMTrace(t *testing.T) {
	for _, tc := range []struct {
		set string
		rho float64
	}{{"normalised", 10}, {"raw", 10}, {"pusht", 6}} {
		g := golden.Open(t, "../../project/testdata/velocity_"+tc.set+".npz")
		targets, starts, trace := g.Float64("x_hat"), g.Float64("anchor"), g.Float64("trace_float64")
		n := g.Shape("x_hat")[1]
		rows := g.Shape("trace_float64")[1]
		a := newADMM[float64](n, true, tc.rho, g.Float64("a")[1])
		for k := range rows {
			s := newADMMState[float64](n, 2)
			copy(s.start, starts[2*k:])
			copy(s.target, targets[2*n*k:])
			done := 0
			for i, iterations := range []int{1, 2, 10, 100} {
				for ; done < iterations; done++ {
					a.iterate(s)
				}
				golden.Close(t, tc.set, s.x, trace[2*n*(i*rows+k):2*n*(i*rows+k+1)], 1e-10, 0)
			}
		}
	}
}
