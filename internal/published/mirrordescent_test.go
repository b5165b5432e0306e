package published_test

import (
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/tensor"
)

// rates are the learning rates of the golden vectors, by dimension and exemplars.
var rates = map[string]float64{
	"d16_M2": 0.00672, "d16_M4": 0.00846, "d64_M3": 0.00258, "d64_M6": 0.00276, "d256_M5": 0.000865,
	"d1024_M2": 0.000218, "d1024_M6": 0.00022, "d4096_M2": 5.91e-05, "d4096_M6": 5.78e-05,
}

func TestMirrorDescentGolden(t *testing.T) {
	g := golden.Open(t, "../../project/testdata/convex_hull.npz")
	for name, rate := range rates {
		exemplars, x := batchOf(t, g, "E_"+name), batchOf(t, g, "z_"+name)
		for _, iterations := range []int{100, 2000} {
			p, err := published.NewMirrorDescent(exemplars, published.MirrorDescentOptions{LearningRate: rate, Iterations: iterations})
			if err != nil {
				t.Fatal(err)
			}
			weights := make([]float64, x.N*exemplars.N)
			if err := p.Weights(weights, x); err != nil {
				t.Fatal(err)
			}
			if iterations == 2000 {
				points := tensor.New(x.N, x.Shape...)
				if _, err := p.Project(t.Context(), points, x); err != nil {
					t.Fatal(err)
				}
				var got []float32
				for k := range points.N {
					got = append(got, points.Sample(k)[:16]...)
				}
				golden.Close(t, name+", points", got, g.Float64("proj_md_first16_"+name), 5e-4, 0)
			}
			what := fmt.Sprintf("%s, weights after %d iterations", name, iterations)
			golden.Close(t, what, weights, g.Float64(fmt.Sprintf("lambda_md%d_%s", iterations, name)), 5e-4, 0)
		}
	}
}
