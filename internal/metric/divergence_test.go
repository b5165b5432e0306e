package metric_test

import (
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/noise"
)

// histograms counts two groups in equal bins over their pooled range.
func histograms(a, b []float32, bins int) (p, q []int) {
	lo, hi := metric.SharedRange(a, b)
	return metric.Histogram(a, lo, hi, bins), metric.Histogram(b, lo, hi, bins)
}

func TestDivergences(t *testing.T) {
	g := golden.Open(t, "testdata/divergences.npz")
	p, q, want := g.Ints("counts_p"), g.Ints("counts_q"), g.Float64("js_tv_l2")
	for k := 0; k < len(want)/3; k++ {
		d := metric.Compare(p[k*200:(k+1)*200], q[k*200:(k+1)*200])
		golden.Close(t, "histogram", []float64{d.JS, d.TV, d.L2}, want[3*k:3*k+3], 1e-12, 1e-10)
	}
	a, b := histograms(g.Float32("samples_a"), g.Float32("samples_b"), 200)
	if !slices.Equal(a, g.Ints("hist_a")) || !slices.Equal(b, g.Ints("hist_b")) {
		t.Error("histograms of the raw samples differ")
	}
	d := metric.Compare(a, b)
	golden.Close(t, "samples", []float64{d.JS, d.TV, d.L2}, g.Float64("js_tv_l2_samples"), 1e-12, 1e-10)
}

func TestDivergenceExtremes(t *testing.T) {
	if d := metric.Compare([]int{3, 1, 0}, []int{6, 2, 0}); d != (metric.Divergence{}) {
		t.Errorf("equal distributions differ by %+v", d)
	}
	d := metric.Compare([]int{1, 0}, []int{0, 1})
	golden.Close(t, "disjoint", []float64{d.JS, d.TV, d.L2}, []float64{math.Ln2, 1, math.Sqrt2}, 1e-15, 0)
}

// Two groups of one law differ by about the noise floor.
func TestNoiseFloor(t *testing.T) {
	const n = 200000
	a, b := make([]float32, n), make([]float32, n)
	noise.New(1).Normal(a, 1, noise.Address{})
	noise.New(2).Normal(b, 1, noise.Address{})
	p, q := histograms(a, b, 200)
	pooled := make([]int, len(p))
	for i := range p {
		pooled[i] = p[i] + q[i]
	}
	got, want := metric.Compare(p, q), metric.NoiseFloor(pooled, n)
	golden.Close(t, "noise floor", []float64{got.JS, got.TV, got.L2}, []float64{want.JS, want.TV, want.L2}, 0, 0.25)
}

// Bins include both edges of the range, and one without width is its first bin; what lies outside is not counted.
func TestHistogramEdges(t *testing.T) {
	v := []float32{-0.1, 0, 0.24, 0.25, 0.99, 1, 1.1, float32(math.NaN())}
	if got := metric.Histogram(v, 0, 1, 4); !slices.Equal(got, []int{2, 1, 0, 2}) {
		t.Errorf("counts %v, want 2, 1, 0, 2", got)
	}
	if got := metric.Histogram([]float32{2, 2, 3}, 2, 2, 3); !slices.Equal(got, []int{2, 0, 0}) {
		t.Errorf("counts of one place %v, want 2, 0, 0", got)
	}
}
