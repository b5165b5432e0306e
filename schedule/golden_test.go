package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
)

// buffers lists the twelve tables that published checkpoints carry, as functions
// of a step.
var buffers = map[string]func(schedule.Step) float64{
	"betas":                          func(s schedule.Step) float64 { return s.Beta },
	"alphas_cumprod":                 func(s schedule.Step) float64 { return s.AlphaBar },
	"alphas_cumprod_prev":            func(s schedule.Step) float64 { return s.AlphaBarPrev },
	"sqrt_alphas_cumprod":            func(s schedule.Step) float64 { return s.SqrtAlphaBar },
	"sqrt_one_minus_alphas_cumprod":  func(s schedule.Step) float64 { return s.Sigma },
	"log_one_minus_alphas_cumprod":   func(s schedule.Step) float64 { return math.Log(float64(1 - float32(s.AlphaBar))) },
	"sqrt_recip_alphas_cumprod":      func(s schedule.Step) float64 { return s.InvSqrtAlphaBar },
	"sqrt_recipm1_alphas_cumprod":    func(s schedule.Step) float64 { return s.NoiseToSignal },
	"posterior_variance":             func(s schedule.Step) float64 { return s.PosteriorVariance },
	"posterior_log_variance_clipped": schedule.Step.PosteriorLogVariance,
	"posterior_mean_coef1":           func(s schedule.Step) float64 { return s.CoefX0 },
	"posterior_mean_coef2":           func(s schedule.Step) float64 { return s.CoefXt },
}

func table(s *schedule.Schedule, f func(schedule.Step) float64) []float64 {
	out := make([]float64, s.Len())
	for i := range out {
		out[i] = f(s.At(i))
	}
	return out
}

func exponential25(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.Exponential(25, 1e-4, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExponentialBuffers(t *testing.T) {
	s := exponential25(t)
	g := golden.Open(t, "testdata/schedule_exponential_25.npz")
	for name, f := range buffers {
		golden.Close(t, name, table(s, f), g.Float64(name), 1e-12, 2e-5)
	}
	// The betas and ᾱ are exact: everything at the last step hangs on their last bits.
	golden.Close(t, "betas", table(s, buffers["betas"]), g.Float64("betas"), 0, 0)
	golden.Close(t, "alphas_cumprod", table(s, buffers["alphas_cumprod"]), g.Float64("alphas_cumprod"), 0, 0)
}

func TestCosineBuffers(t *testing.T) {
	s, err := schedule.SquaredCosine(25)
	if err != nil {
		t.Fatal(err)
	}
	g := golden.Open(t, "testdata/schedule_cosine_25.npz")
	for name, f := range buffers {
		golden.Close(t, name, table(s, f), g.Float64(name), 1e-10, 2e-5)
	}
}

func TestPosteriorMeanAndVariance(t *testing.T) {
	s := exponential25(t)
	g := golden.Open(t, "testdata/p_mean_variance.npz")
	x, eps := g.Float32("x"), g.Float32("eps")
	x0s, means := g.Float32("x0_unclamped"), g.Float32("mean")
	variances, logs := g.Float64("variance"), g.Float64("log_variance")
	for k, step := range g.Ints("t") {
		st := s.At(step)
		atolX0, atolMean := 1e-5, 1e-5
		if step == 24 {
			atolX0, atolMean = 3e-3, 1e-3 // the estimate multiplies by 4603
		}
		what := fmt.Sprintf("t=%d: ", step)
		got := make([]float32, len(x))
		st.Tweedie(got, x, eps, schedule.Epsilon, 0)
		golden.Close(t, what+"x0", got, x0s[k*len(x):(k+1)*len(x)], atolX0, 1e-5)
		st.Tweedie(got, x, eps, schedule.Epsilon, 1)
		st.PosteriorMean(got, got, x)
		golden.Close(t, what+"mean", got, means[k*len(x):(k+1)*len(x)], atolMean, 1e-5)
		golden.Close(t, what+"variance", []float64{st.PosteriorVariance, st.PosteriorLogVariance()},
			[]float64{variances[k], logs[k]}, 1e-5, 1e-5)
	}
}

func TestDiffuse(t *testing.T) {
	s := exponential25(t)
	g := golden.Open(t, "testdata/q_sample.npz")
	x0, eps, want := g.Float32("x_start"), g.Float32("noise"), g.Float32("x_t")
	got := make([]float32, len(x0))
	size := len(x0) / len(g.Ints("t"))
	for k, step := range g.Ints("t") {
		lo, hi := k*size, (k+1)*size
		s.At(step).Diffuse(got[lo:hi], x0[lo:hi], eps[lo:hi])
	}
	golden.Close(t, "x_t", got, want, 1e-6, 1e-6)
}

func TestManipulationSchedules(t *testing.T) {
	for _, n := range []int{32, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, err := schedule.SquaredCosine(n)
			if err != nil {
				t.Fatal(err)
			}
			g := golden.Open(t, fmt.Sprintf("testdata/scheduler_T%d.npz", n))
			for name, f := range map[string]func(schedule.Step) float64{
				"betas":                buffers["betas"],
				"alphas":               func(s schedule.Step) float64 { return s.Alpha },
				"alphas_cumprod":       buffers["alphas_cumprod"],
				"variance":             func(s schedule.Step) float64 { return max(s.PosteriorVariance, 1e-20) },
				"coef_x0":              buffers["posterior_mean_coef1"],
				"coef_xt":              buffers["posterior_mean_coef2"],
				"beta_over_sqrt_alpha": func(s schedule.Step) float64 { return s.Beta / math.Sqrt(s.Alpha) },
			} {
				golden.Close(t, name, table(s, f), g.Float64(name), 1e-5, 2e-5)
			}
			testManipulationSteps(t, s, g)
		})
	}
}

func testManipulationSteps(t *testing.T, s *schedule.Schedule, g *golden.Archive) {
	x, eps, noise := g.Float32("x"), g.Float32("eps"), g.Float32("noise")
	x0s, prevs := g.Float32("pred_original_sample"), g.Float32("prev_sample")
	n := len(x)
	for k, step := range g.Ints("t") {
		st := s.At(step)
		atol := 1e-5
		if step == s.Len()-1 {
			atol = 2e-3
		}
		x0, prev := make([]float32, n), make([]float32, n)
		st.Tweedie(x0, x, eps, schedule.Epsilon, 1)
		golden.Close(t, fmt.Sprintf("t=%d: x0", step), x0, x0s[k*n:(k+1)*n], 0, 0) // the reference's bits
		st.PosteriorMean(prev, x0, x)
		if step > 0 {
			for i := range prev {
				prev[i] += float32(st.PosteriorStd()) * noise[k*n+i]
			}
		}
		golden.Close(t, fmt.Sprintf("t=%d: previous state", step), prev, prevs[k*n:(k+1)*n], atol, 2e-5)
	}
	noised, ts := g.Float32("add_noise"), g.Ints("add_noise_t")
	size := n / len(ts)
	for k, step := range ts {
		lo, hi := k*size, (k+1)*size
		got := make([]float32, size)
		s.At(step).Diffuse(got, x[lo:hi], noise[lo:hi])
		golden.Close(t, fmt.Sprintf("noised at t=%d", step), got, noised[lo:hi], 1e-5, 2e-5)
	}
}

func TestLeadingTimestepsOfReferenceLibraries(t *testing.T) {
	for _, c := range []struct {
		total, n      int
		first, second int
		count         int
	}{{100, 15, 96, 90, 17}, {100, 20, 95, 90, 20}, {100, 30, 99, 96, 34}, {100, 40, 98, 96, 50}, {100, 75, 99, 98, 100}, {32, 15, 30, 28, 16}, {32, 20, 31, 30, 32}} {
		ts, err := schedule.LeadingTimesteps(c.total, c.n, 0, false)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(ts)
		if len(ts) != c.count || ts[0] != c.first || ts[1] != c.second || ts[len(ts)-1] != 0 {
			t.Errorf("LeadingTimesteps(%d, %d) = %v, want %d from %d, %d down to 0", c.total, c.n, ts, c.count, c.first, c.second)
		}
	}
}

// TestTweedieKeepsDigits bounds the distance from the estimate in float64 by what the
// rounding of σ, √ᾱ and the operations explains.
func TestTweedieKeepsDigits(t *testing.T) {
	const ulp = 0x1p-24
	for _, n := range []int{32, 100, 1000} {
		s, err := schedule.SquaredCosine(n)
		if err != nil {
			t.Fatal(err)
		}
		field := noise.New(uint64(n))
		const size = 256
		x0, eps, x, got := make([]float32, size), make([]float32, size), make([]float32, size), make([]float32, size)
		field.Normal(eps, size, noise.Address{})
		field.Normal(x0, size, noise.Address{Sample: 1})
		for step := range n {
			st := s.At(step)
			st.Diffuse(x, x0, eps)
			for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Score} {

				a, b := st.Coefficients(schedule.Epsilon, kind)
				pred := make([]float32, size)
				for i := range pred {
					pred[i] = float32(a*float64(x[i]) + b*float64(eps[i]))
				}
				st.Tweedie(got, x, pred, kind, 0)
				for i, v := range got {
					exact, terms := estimate(st, kind, float64(x[i]), float64(pred[i]))
					if off := math.Abs(float64(v) - exact); off > 2.5*ulp*terms+4*ulp*math.Abs(exact) {
						t.Fatalf("%d steps, t=%d, %v: estimate %v is %.2g from %v", n, step, kind, v, off, exact)
					}
				}
			}
		}
	}
}

// estimate is that of the clean sample in float64, and the size of what is rounded.
func estimate(s schedule.Step, kind schedule.Kind, x, p float64) (exact, terms float64) {
	switch kind {
	case schedule.Epsilon:
		return (x - s.Sigma*p) / s.SqrtAlphaBar, math.Abs(s.Sigma*p) / s.SqrtAlphaBar
	case schedule.Score:
		return (x + s.Sigma*s.Sigma*p) / s.SqrtAlphaBar, math.Abs(s.Sigma*s.Sigma*p) / s.SqrtAlphaBar
	case schedule.V:
		return s.SqrtAlphaBar*x - s.Sigma*p, 2 * (math.Abs(s.SqrtAlphaBar*x) + math.Abs(s.Sigma*p))
	default:
		return p, 0
	}
}
