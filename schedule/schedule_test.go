package schedule_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
)

func shipped(t *testing.T) map[string]*schedule.Schedule {
	t.Helper()
	out := map[string]*schedule.Schedule{}
	add := func(s *schedule.Schedule, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		out[s.Name()] = s
	}
	add(schedule.Exponential(25, 1e-4, 1))
	add(schedule.SquaredCosine(32))
	add(schedule.SquaredCosine(100))
	add(schedule.Linear(1000, 1e-4, 0.02))
	sd, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	add(sd, err)
	add(sd.Leading(100, 1))
	return out
}

// accuracy is that of a schedule's tables: the published float32 ones lose digits
// in 1-ᾱ at the first steps.
func accuracy(s *schedule.Schedule) float64 {
	if strings.HasPrefix(s.Name(), "exponential") || strings.HasPrefix(s.Name(), "squared-cosine") {
		return 2e-4
	}
	return 1e-11
}

// The signal-to-noise ratio must fall step by step, x_0 must be almost all of the
// first state, and the posterior must be a distribution with the right mean.
func TestLaws(t *testing.T) {
	for name, s := range shipped(t) {
		snr := math.Inf(1)
		for i := range s.Len() {
			st := s.At(i)
			if next := st.AlphaBar / (1 - st.AlphaBar); next >= snr {
				t.Errorf("%s: signal-to-noise ratio %v of step %d is not below %v", name, next, i, snr)
			} else {
				snr = next
			}
			if st.PosteriorVariance < 0 || st.PosteriorVariance > st.Beta {
				t.Errorf("%s: posterior variance %v of step %d is outside [0, beta=%v]", name, st.PosteriorVariance, i, st.Beta)
			}
			// The posterior mean of x_t's own mean must be the mean of the state before.
			got := st.CoefX0 + st.CoefXt*math.Sqrt(st.AlphaBar)
			if want := math.Sqrt(st.AlphaBarPrev); math.Abs(got-want) > accuracy(s) {
				t.Errorf("%s: posterior means of step %d add to %v, want %v", name, i, got, want)
			}
		}
		if s.At(0).AlphaBarPrev != 1 || s.At(0).AlphaBar < 0.99 {
			t.Errorf("%s: first step %+v is not close to the data", name, s.At(0))
		}
	}
}

func TestConversionsRoundTrip(t *testing.T) {
	kinds := []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Score, schedule.Flow}
	for name, s := range shipped(t) {
		for i := range s.Len() {
			st := s.At(i)
			x0, eps := 0.37, -1.21
			x := math.Sqrt(st.AlphaBar)*x0 + st.Sigma*eps
			want := map[schedule.Kind]float64{
				schedule.Epsilon: eps,
				schedule.X0:      x0,
				schedule.V:       math.Sqrt(st.AlphaBar)*eps - st.Sigma*x0,
				schedule.Score:   -eps / st.Sigma,
				schedule.Flow:    eps - x0,
			}
			for _, from := range kinds {
				for _, to := range kinds {
					a, b := st.Coefficients(from, to)
					got := a*x + b*want[from]
					// Going through x_0 at high noise, or through ε at low noise, loses
					// as many digits as the coefficients are large.
					tol := 1e-14 * (1 + math.Abs(a) + math.Abs(b)) * (1 + 1/math.Sqrt(st.AlphaBar)) / st.Sigma
					if accuracy(s) > 1e-6 {
						tol = 2e-4*(1+math.Abs(want[to])) + 1e-7/st.SqrtAlphaBar // σ itself is off by 6e-8
					}
					if math.Abs(got-want[to]) > tol {
						t.Fatalf("%s step %d: %v to %v = %v, want %v ± %v", name, i, from, to, got, want[to], tol)
					}
				}
			}
		}
	}
}

func TestStableDiffusionNumbers(t *testing.T) {
	base, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	s, err := base.Leading(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 100 || s.At(99).Timestep != 991 || s.At(0).Timestep != 1 {
		t.Fatalf("timesteps %d..%d of %d, want 1..991 of 100", s.At(0).Timestep, s.At(99).Timestep, s.Len())
	}
	// Step, ᾱ, β*, weight of x_0, weight of x_t, posterior deviation.
	for _, row := range [][6]float64{
		{99, 0.00513007, 0.11175380, 0.00853671, 0.94185671, 3.341875e-01},
		{49, 0.28848472, 0.04568686, 0.03530393, 0.95792751, 2.116602e-01},
		{1, 0.98953755, 0.00877343, 0.83784870, 0.16214943, 3.780065e-02},
		{0, 0.99829603, 0.00170397, 1, 0, 1e-10},
	} {
		st := s.At(int(row[0]))
		golden.Close(t, "step", []float64{st.AlphaBar, st.Beta, st.CoefX0, st.CoefXt, st.PosteriorStd()}, row[1:], 6e-9, 2e-7)
	}
	sum := 0.0
	for i := range s.Len() {
		sum += s.At(i).Beta / math.Sqrt(s.At(i).Alpha)
	}
	golden.Close(t, "sum of beta over sqrt(alpha)", []float64{sum}, []float64{5.2740}, 5e-5, 0)
}

func TestRespacing(t *testing.T) {
	s, err := schedule.SquaredCosine(100)
	if err != nil {
		t.Fatal(err)
	}
	ts, err := schedule.LeadingTimesteps(100, 20, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Respace(ts)
	if err != nil {
		t.Fatal(err)
	}
	slip, err := s.RespaceAdjacent(ts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Len() {
		if r.At(i).AlphaBar != s.At(ts[i]).AlphaBar || slip.At(i) != s.At(ts[i]) {
			t.Errorf("step %d does not describe timestep %d", i, ts[i])
		}
		if i > 0 && r.At(i).AlphaBarPrev != s.At(ts[i-1]).AlphaBar {
			t.Errorf("step %d starts from ᾱ %v, want that of timestep %d", i, r.At(i).AlphaBarPrev, ts[i-1])
		}
	}
	for _, bad := range [][]int{nil, {0, 0}, {5, 3}, {0, 100}, {-1}} {
		if _, err := s.Respace(bad); err == nil {
			t.Errorf("Respace(%v) = nil error", bad)
		}
	}
}

func TestBadParameters(t *testing.T) {
	for what, f := range map[string]func() (*schedule.Schedule, error){
		"no steps":        func() (*schedule.Schedule, error) { return schedule.FromBetas("x", nil) },
		"beta of 1":       func() (*schedule.Schedule, error) { return schedule.FromBetas("x", []float64{0.1, 1}) },
		"negative beta":   func() (*schedule.Schedule, error) { return schedule.FromBetas("x", []float64{-0.1}) },
		"NaN beta":        func() (*schedule.Schedule, error) { return schedule.FromBetas("x", []float64{math.NaN()}) },
		"one step":        func() (*schedule.Schedule, error) { return schedule.Exponential(1, 1e-4, 1) },
		"falling betas":   func() (*schedule.Schedule, error) { return schedule.Exponential(25, 1, 1e-4) },
		"zero cosine":     func() (*schedule.Schedule, error) { return schedule.SquaredCosine(0) },
		"huge linear":     func() (*schedule.Schedule, error) { return schedule.Linear(1<<40, 1e-4, 0.02) },
		"huge scaled":     func() (*schedule.Schedule, error) { return schedule.ScaledLinear(1<<40, 1e-4, 0.02) },
		"huge cosine":     func() (*schedule.Schedule, error) { return schedule.SquaredCosine(1 << 40) },
		"huge sigmoid":    func() (*schedule.Schedule, error) { return schedule.Sigmoid(1<<40, 1e-4, 0.02) },
		"huge geometric":  func() (*schedule.Schedule, error) { return schedule.Exponential(1<<40, 1e-4, 1) },
		"too many steps":  func() (*schedule.Schedule, error) { s, _ := schedule.SquaredCosine(10); return s.Leading(11, 0) },
		"offset too long": func() (*schedule.Schedule, error) { s, _ := schedule.SquaredCosine(10); return s.Leading(5, 10) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := schedule.FlowGrid(schedule.FlowOptions{Steps: 1 << 40, Timesteps: 1 << 40}); err == nil {
		t.Error("huge flow: no error")
	}
}
