package analytic_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func cosine(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.SquaredCosine(32)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// covariance is positive definite: a random square plus a ridge.
func covariance(n int, seed uint64) *mat.SymDense {
	a := make([]float32, n*n)
	noise.New(seed).Normal(a, n*n, noise.Address{})
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := range n {
				sum += float64(a[i*n+k]) * float64(a[j*n+k]) / float64(n)
			}
			if i == j {
				sum += 0.2
			}
			c.SetSym(i, j, sum)
		}
	}
	return c
}

func mixture(t *testing.T, s *schedule.Schedule) *analytic.Mixture {
	t.Helper()
	m, err := analytic.NewMixture(tensor.Shape{3, 2}, []analytic.Component{
		{Weight: 2, Mean: []float64{1, 0, -1, 0.5, 0, 1}, Covariance: covariance(6, 3)},
		{Weight: 1, Mean: []float64{-0.7}, Variance: []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8}},
		{Weight: 0.5, Mean: []float64{0}, Variance: []float64{2}},
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func gaussian(t *testing.T, shape tensor.Shape, mean, variance []float64, s *schedule.Schedule) *analytic.Gaussian {
	t.Helper()
	g, err := analytic.NewGaussian(shape, mean, variance, s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestConformance(t *testing.T) {
	s := cosine(t)
	steps := lawtest.DenoiserOptions{Timesteps: []int{0, 9, 31}}
	static := lawtest.DenoiserOptions{}
	t.Run("gaussian", func(t *testing.T) {
		lawtest.Denoiser(t, gaussian(t, tensor.Shape{1}, []float64{4.5}, []float64{0.6}, nil), static)
		lawtest.Denoiser(t, gaussian(t, tensor.Shape{2, 3}, []float64{1, 2, 3, 4, 5, 6}, []float64{0.7}, s), steps)
	})
	t.Run("mixture", func(t *testing.T) {
		lawtest.Denoiser(t, mixture(t, nil), static)
		lawtest.Denoiser(t, mixture(t, s), steps)
	})
	t.Run("composition", func(t *testing.T) {
		c, err := denoise.Compose([]denoise.Denoiser{mixture(t, s),
			gaussian(t, tensor.Shape{3, 2}, []float64{0}, []float64{1}, s)}, []float64{1.5, -0.5})
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, c, steps)
	})
	for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V} {
		t.Run("as "+kind.String(), func(t *testing.T) {
			c, err := denoise.Convert(mixture(t, s), kind, s)
			if err != nil {
				t.Fatal(err)
			}
			// The estimate of x_0 at the noisiest step is a difference of numbers 650
			// times its size.
			lawtest.Denoiser(t, c, lawtest.DenoiserOptions{Timesteps: []int{0, 9, 25}, Tolerance: 0.02})
		})
	}
}

// A mixture of one component is a Gaussian, and the score is the gradient of the
// log density.
func TestScoresAreGradients(t *testing.T) {
	s := cosine(t)
	m := mixture(t, s)
	x := tensor.New(5, 3, 2)
	noise.New(2).Normal(x.Data, 6, noise.Address{})
	score := tensor.New(5, 3, 2)
	for _, step := range []int{0, 12, 31} {
		if err := m.Predict(context.Background(), score, x, step); err != nil {
			t.Fatal(err)
		}
		for r := range x.N {
			for j := range x.Sample(r) {
				const h = 1.0 / 1024
				v := x.Clone().Sample(r)
				v[j] += h
				up, err := m.LogDensity(v, step)
				if err != nil {
					t.Fatal(err)
				}
				v[j] -= 2 * h
				down, _ := m.LogDensity(v, step)
				want := (up - down) / (2 * h)
				if got := float64(score.Sample(r)[j]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("t=%d row %d element %d: score %v, slope of the log density %v", step, r, j, got, want)
				}
			}
		}
	}
}

func TestGaussianIsAMixtureOfOne(t *testing.T) {
	s := cosine(t)
	mean, variance := []float64{1, -2, 0.5}, []float64{0.5, 1, 2}
	g := gaussian(t, tensor.Shape{3}, mean, variance, s)
	cov := mat.NewSymDense(3, []float64{0.5, 0, 0, 0, 1, 0, 0, 0, 2})
	m, err := analytic.NewMixture(tensor.Shape{3}, []analytic.Component{{Weight: 7, Mean: mean, Covariance: cov}}, s)
	if err != nil {
		t.Fatal(err)
	}
	x, a, b := tensor.New(9, 3), tensor.New(9, 3), tensor.New(9, 3)
	noise.New(2).Normal(x.Data, 3, noise.Address{})
	for step := range s.Len() {
		if err := errors.Join(g.Predict(context.Background(), a, x, step), m.Predict(context.Background(), b, x, step)); err != nil {
			t.Fatal(err)
		}
		for i := range a.Data {
			if math.Abs(float64(a.Data[i]-b.Data[i])) > 2e-6*(1+math.Abs(float64(a.Data[i]))) {
				t.Fatalf("t=%d element %d: Gaussian %v, mixture %v", step, i, a.Data[i], b.Data[i])
			}
		}
	}
}

// Tweedie's formula with the exact score is the posterior mean of x_0, which for
// a Gaussian is also known in closed form.
func TestConvertedPredictionIsThePosteriorMean(t *testing.T) {
	s := cosine(t)
	g := gaussian(t, tensor.Shape{1}, []float64{0.8}, []float64{0.25}, s)
	m, err := denoise.Convert(g, schedule.X0, s)
	if err != nil {
		t.Fatal(err)
	}
	for step := range s.Len() {
		st := s.At(step)
		x, _ := tensor.Of([]float32{-1, 0, 2}, 1)
		got := tensor.New(3, 1)
		if err := m.Predict(context.Background(), got, x, step); err != nil {
			t.Fatal(err)
		}
		for i, v := range x.Data {
			gain := 0.25 * st.SqrtAlphaBar / (0.25*st.AlphaBar + 1 - st.AlphaBar)
			want := 0.8 + gain*(float64(v)-st.SqrtAlphaBar*0.8)
			if math.Abs(float64(got.Data[i])-want) > 5e-7*(1+math.Abs(float64(v)))/st.SqrtAlphaBar {
				t.Errorf("t=%d, x=%v: estimate %v, want %v", step, v, got.Data[i], want)
			}
		}
	}
}

func TestBadParameters(t *testing.T) {
	shape := tensor.Shape{2}
	ok := gaussian(t, shape, []float64{0}, []float64{1}, nil)
	wide := gaussian(t, tensor.Shape{3}, []float64{0}, []float64{1}, nil)
	for what, f := range map[string]func() error{
		"zero variance": func() error { _, err := analytic.NewGaussian(shape, []float64{0}, []float64{0}, nil); return err },
		"NaN mean": func() error {
			_, err := analytic.NewGaussian(shape, []float64{math.NaN()}, []float64{1}, nil)
			return err
		},
		"length": func() error { _, err := analytic.NewGaussian(shape, []float64{0, 1, 2}, []float64{1}, nil); return err },
		"empty axis": func() error {
			_, err := analytic.NewGaussian(tensor.Shape{0}, []float64{0}, []float64{1}, nil)
			return err
		},
		"no components": func() error { _, err := analytic.NewMixture(shape, nil, nil); return err },
		"negative weight": func() error {
			return mixtureError(analytic.Component{Weight: -1, Mean: []float64{0}, Variance: []float64{1}})
		},
		"indefinite": func() error {
			return mixtureError(analytic.Component{Weight: 1, Mean: []float64{0}, Covariance: mat.NewSymDense(2, []float64{1, 2, 2, 1})})
		},
		"covariance size": func() error {
			return mixtureError(analytic.Component{Weight: 1, Mean: []float64{0}, Covariance: mat.NewSymDense(3, nil)})
		},
		"weights":      func() error { _, err := denoise.Compose([]denoise.Denoiser{ok}, nil); return err },
		"shapes":       func() error { _, err := denoise.Compose([]denoise.Denoiser{ok, wide}, []float64{1, 1}); return err },
		"no schedule":  func() error { _, err := denoise.Convert(ok, schedule.Epsilon, nil); return err },
		"unknown kind": func() error { _, err := denoise.Convert(ok, schedule.Kind(9), cosine(t)); return err },
		"timestep range": func() error {
			return gaussian(t, shape, []float64{0}, []float64{1}, cosine(t)).Predict(context.Background(), tensor.New(1, 2), tensor.New(1, 2), 32)
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func mixtureError(c analytic.Component) error {
	_, err := analytic.NewMixture(tensor.Shape{2}, []analytic.Component{c}, nil)
	return err
}
