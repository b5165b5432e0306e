package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/internal/metric"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		p, n   float64
		lo, hi float64
	}{ // Newcombe, Statistics in Medicine 17 (1998), table I, method 3
		{81. / 263, 263, 0.2553, 0.3662},
		{15. / 148, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1. / 29, 29, 0.0061, 0.1718},
		{1, 100, 0.9630, 1},
	} {
		got := metric.Wilson(c.p, c.n)
		if math.Abs(got.Lo-c.lo) > 5e-5 || math.Abs(got.Hi-c.hi) > 5e-5 {
			t.Errorf("Wilson(%v, %v) = %v, want %v, %v", c.p, c.n, got, c.lo, c.hi)
		}
	}
	if got := metric.Wilson(0.5, 0); got != (metric.Interval{Lo: 0, Hi: 1}) {
		t.Errorf("Wilson without trials = %v", got)
	}
}

// The interval covers the true rate in about 95 % of simulated evaluations, both
// when samples of a trial are independent and when they are all alike.
func TestClusteredRateCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"independent": func() float64 { return mean(r, 50, 0.3) },
		"alike":       func() float64 { return mean(r, 1, 0.3) },
		"mixed": func() float64 { // rates 0.1 and 0.5 by trial
			return mean(r, 50, []float64{0.1, 0.5}[r.IntN(2)])
		},
	} {
		covered := 0
		const runs = 2000
		for range runs {
			means := make([]float64, 60)
			for i := range means {
				means[i] = draw()
			}
			if ci := metric.ClusteredRate(means); ci.Lo <= 0.3 && 0.3 <= ci.Hi {
				covered++
			}
		}
		if rate := float64(covered) / runs; rate < 0.925 || rate > 0.975 {
			t.Errorf("%s: coverage = %v, want about 0.95", name, rate)
		}
	}
}

func mean(r *rand.Rand, n int, p float64) float64 {
	sum := 0.0
	for range n {
		if r.Float64() < p {
			sum++
		}
	}
	return sum / float64(n)
}

func TestClusteredRateWithoutSpread(t *testing.T) {
	if got, want := metric.ClusteredRate([]float64{1, 1, 1, 1}), metric.Wilson(1, 4); got != want {
		t.Errorf("ClusteredRate(all 1) = %v, want that of 4 trials %v", got, want)
	}
	if got := metric.ClusteredRate(nil); got != (metric.Interval{Lo: 0, Hi: 1}) {
		t.Errorf("ClusteredRate() = %v", got)
	}
	one := metric.ClusteredRate([]float64{0.25})
	if !(one.Lo < 0.25 && one.Hi > 0.25) {
		t.Errorf("ClusteredRate(0.25) = %v", one)
	}
}

// Student's quantiles at 97.5 % are 12.706 with one degree of freedom, 2.776 with
// four and 2.0096 with 49.
func TestClusteredMean(t *testing.T) {
	for _, c := range []struct {
		means []float64
		want  metric.Interval
	}{
		{[]float64{1, 3}, metric.Interval{Lo: 2 - 12.7062, Hi: 2 + 12.7062}},
		{[]float64{1, 2, 3, 4, 5}, metric.Interval{Lo: 3 - 2.77645*math.Sqrt(0.5), Hi: 3 + 2.77645*math.Sqrt(0.5)}},
		{[]float64{4, 4, 4}, metric.Interval{Lo: 4, Hi: 4}},
		{[]float64{4}, metric.Interval{}},
		{nil, metric.Interval{}},
	} {
		got := metric.ClusteredMean(c.means)
		if math.Abs(got.Lo-c.want.Lo) > 1e-4 || math.Abs(got.Hi-c.want.Hi) > 1e-4 {
			t.Errorf("ClusteredMean(%v) = %v, want %v", c.means, got, c.want)
		}
	}
}

func TestClusteredMeanCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const runs, conditions = 4000, 5
	covered := 0
	for range runs {
		means := make([]float64, conditions)
		for i := range means {
			means[i] = 3 + r.NormFloat64()
		}
		if got := metric.ClusteredMean(means); got.Lo <= 3 && 3 <= got.Hi {
			covered++
		}
	}
	if rate := float64(covered) / runs; math.Abs(rate-0.95) > 0.014 { // four standard errors
		t.Errorf("coverage = %v, want 0.95", rate)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 3, 4}
	for share, want := range map[float64]float64{0.01: 1, 0.25: 1, 0.5: 2, 0.51: 3, 0.99: 4, 1: 4} {
		if got := metric.Quantile(v, share); got != want {
			t.Errorf("quantile %v is %v, want %v", share, got, want)
		}
	}
}
