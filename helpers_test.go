package pcd_test

import (
	"context"
	"math"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func cosine(t testing.TB, n int) *schedule.Schedule {
	t.Helper()
	s, err := schedule.SquaredCosine(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func gaussian(t testing.TB, shape tensor.Shape, mean, variance float64, s *schedule.Schedule) denoise.Denoiser {
	t.Helper()
	g, err := analytic.NewGaussian(shape, []float64{mean}, []float64{variance}, s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func interval(t testing.TB, lo, hi float64) project.Projector {
	t.Helper()
	set, err := project.NewInterval(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func mixture(t testing.TB, shape tensor.Shape, s *schedule.Schedule) *analytic.Mixture {
	t.Helper()
	m, err := analytic.NewMixture(shape, []analytic.Component{
		{Weight: 2, Mean: []float64{-0.6}, Variance: []float64{0.04}},
		{Weight: 1, Mean: []float64{0.7}, Variance: []float64{0.04}},
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustSample(t testing.TB, p pcd.Problem, o pcd.Options) *pcd.Result {
	t.Helper()
	r, err := pcd.Sample(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func moments(v []float32) (mean, variance float64) {
	for _, x := range v {
		mean += float64(x)
	}
	mean /= float64(len(v))
	for _, x := range v {
		variance += (float64(x) - mean) * (float64(x) - mean)
	}
	return mean, variance / float64(len(v))
}

// within fails unless got is within five standard errors (and a bias) of want.
func within(t *testing.T, what string, got, want, stderr, bias float64) {
	t.Helper()
	if math.Abs(got-want) > 5*stderr+bias {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, 5*stderr+bias)
	}
}

var _ noise.Source = noise.Field{}
