package pcd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
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
	g, err := denoise.NewGaussian(shape, []float64{mean}, []float64{variance}, s)
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

func mixture(t testing.TB, shape tensor.Shape, s *schedule.Schedule) *denoise.Mixture {
	t.Helper()
	m, err := denoise.NewMixture(shape, []denoise.Component{
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

// Langevin dynamics of a Gaussian is an autoregressive chain: its stationary
// variance is σ²/(1-δ/2σ²), and the mean is exact.
func TestLangevinMoments(t *testing.T) {
	const n, step, variance = 40000, 0.05, 0.6
	r := mustSample(t, pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{1}, 4.5, variance, nil)}},
		Dynamics:  pcd.LMC{Step: step, Length: 300},
	}, pcd.Options{Samples: n, Seed: 1})
	mean, v := moments(r.Samples[0].Data)
	want := variance / (1 - step/(2*variance))
	within(t, "mean", mean, 4.5, math.Sqrt(want/n), 0)
	within(t, "variance", v, want, want*math.Sqrt(2.0/n), 0)
}

// Two coupled Gaussians with a quadratic cost are jointly Gaussian: the chain is
// linear, so its stationary covariance solves C = A C Aᵀ + 2δ I.
func TestCoupledLangevinMoments(t *testing.T) {
	const n, step, gamma = 40000, 0.05, 0.7
	attraction := cost.Func{Name: "attraction", Vars: 2, Eval: func(grad, x [][]float32) float64 {
		d := x[0][0] - x[1][0]
		if grad != nil {
			grad[0][0], grad[1][0] = d, -d
		}
		return float64(d) * float64(d) / 2
	}}
	r := mustSample(t, pcd.Problem{
		Variables: []pcd.Variable{
			{Name: "x", Model: gaussian(t, tensor.Shape{1}, 0, 0.6, nil)},
			{Name: "y", Model: gaussian(t, tensor.Shape{1}, 0, 1, nil)},
		},
		Couplings: []pcd.Coupling{{Cost: attraction, Strength: gamma, Scale: pcd.ByStepSize}},
		Dynamics:  pcd.LMC{Step: step, Length: 300},
	}, pcd.Options{Samples: n, Seed: 2})
	// Precision of the stationary law of the continuous chain, and its matrix A.
	a := [2][2]float64{{1 - step*(1/0.6+gamma), step * gamma}, {step * gamma, 1 - step*(1+gamma)}}
	var c [2][2]float64
	for range 4000 {
		var next [2][2]float64
		for i := range 2 {
			for j := range 2 {
				for k := range 2 {
					for l := range 2 {
						next[i][j] += a[i][k] * c[k][l] * a[j][l]
					}
				}
			}
			next[i][i] += 2 * step
		}
		c = next
	}
	x, y := r.Samples[0].Data, r.Samples[1].Data
	_, vx := moments(x)
	_, vy := moments(y)
	cov := 0.0
	for k := range x {
		cov += float64(x[k]) * float64(y[k]) / n
	}
	within(t, "variance of x", vx, c[0][0], c[0][0]*math.Sqrt(2.0/n), 0)
	within(t, "variance of y", vy, c[1][1], c[1][1]*math.Sqrt(2.0/n), 0)
	within(t, "covariance", cov, c[0][1], math.Sqrt((c[0][0]*c[1][1]+c[0][1]*c[0][1])/n), 0)
}

// For Gaussian data every DDPM step is linear, so the moments of the chain follow
// a recursion that knows nothing of the sampler.
func TestDDPMMomentsOnAGaussian(t *testing.T) {
	const n, mu, sigma2 = 40000, 0.4, 0.15
	for _, steps := range []int{32, 100} {
		s := cosine(t, steps)
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{2}, mu, sigma2, s)}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: n, Seed: 3})
		mean, variance := 0.0, 1.0
		for i := steps - 1; i >= 0; i-- {
			st := s.At(i)
			gain := sigma2 * st.SqrtAlphaBar / (sigma2*st.AlphaBar + 1 - st.AlphaBar)
			slope := st.CoefX0*gain + st.CoefXt
			mean = st.CoefX0*(mu-gain*st.SqrtAlphaBar*mu) + slope*mean
			variance *= slope * slope
			if i > 0 {
				variance += st.PosteriorVariance
			}
		}
		m, v := moments(r.Samples[0].Data)
		within(t, fmt.Sprintf("%d steps: mean", steps), m, mean, math.Sqrt(variance/(2*n)), 1e-4)
		within(t, fmt.Sprintf("%d steps: variance", steps), v, variance, variance*math.Sqrt(1.0/n), 1e-4)
		// The chain itself is narrower than the data, the more so the fewer steps.
		within(t, fmt.Sprintf("%d steps: variance of the data", steps), v, sigma2, 0, 10/float64(steps)*sigma2)
	}
}

// A hundred steps on a mixture reproduce its weights, means and variances.
func TestDDPMMomentsOnAMixture(t *testing.T) {
	const n = 30000
	s := cosine(t, 100)
	for _, kind := range []denoise.Kind{denoise.Score, denoise.Epsilon, denoise.X0, denoise.V} {
		m, err := denoise.Convert(mixture(t, tensor.Shape{1}, s), kind, s)
		if err != nil {
			t.Fatal(err)
		}
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: m}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: n, Seed: 4})
		var left, right []float32
		for _, x := range r.Samples[0].Data {
			if x < 0 {
				left = append(left, x)
			} else {
				right = append(right, x)
			}
		}
		within(t, kind.String()+": share of the left mode", float64(len(left))/n, 2.0/3, math.Sqrt(2.0/9/n), 0.01)
		ml, vl := moments(left)
		within(t, kind.String()+": left mean", ml, -0.6, 0.2/math.Sqrt(2*n/3), 0.01)
		within(t, kind.String()+": left variance", vl, 0.04, 0, 0.006) // ancestral sampling narrows modes
		mr, _ := moments(right)
		within(t, kind.String()+": right mean", mr, 0.7, 0.2/math.Sqrt(n/3), 0.01)
	}
}

// ring is a problem with five variables of mixed shapes and models, coupled in a
// ring.
func ring(t testing.TB) pcd.Problem {
	s := cosine(t, 32)
	shapes := []tensor.Shape{{8, 2}, {8, 4}, {8, 2}, {8, 3}, {8, 2}}
	p := pcd.Problem{Dynamics: pcd.DDPM{Schedule: s, Clip: 1.5}}
	for i, shape := range shapes {
		v := pcd.Variable{Name: fmt.Sprint("robot ", i), Model: mixture(t, shape, s)}
		if i%2 == 0 {
			v.Project = interval(t, -0.5, 0.5)
		}
		p.Variables = append(p.Variables, v)
	}
	for i := range shapes {
		p.Couplings = append(p.Couplings, pcd.Coupling{
			Cost: planes{}, Variables: []int{i, (i + 1) % len(shapes)}, Strength: 0.02,
			Transforms: []pcd.Transform{pcd.ClipPoints{Max: 1}},
		})
	}
	return p
}

// planes is the log barrier between the first two coordinates of paths that
// differ in their other channels.
type planes struct{}

func (planes) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 {
		return errors.New("want two paths")
	}
	return nil
}

func (planes) Add(_ context.Context, value []float64, grad, x []tensor.Batch, w float64) error {
	wa, wb := x[0].Shape[1], x[1].Shape[1]
	for k := range x[0].N {
		for h := range x[0].Shape[0] {
			a, b := x[0].Sample(k)[h*wa:], x[1].Sample(k)[h*wb:]
			dx, dy := float64(a[0]-b[0]), float64(a[1]-b[1])
			d := math.Hypot(dx, dy)
			if value != nil {
				value[k] -= w * math.Log(0.1+d)
			}
			if grad == nil || d == 0 {
				continue
			}
			g := -w / (d * (0.1 + d))
			ga, gb := grad[0].Sample(k)[h*wa:], grad[1].Sample(k)[h*wb:]
			ga[0] += float32(g * dx)
			ga[1] += float32(g * dy)
			gb[0] -= float32(g * dx)
			gb[1] -= float32(g * dy)
		}
	}
	return nil
}

// meanDistance is the mean distance of neighbours in the ring.
func meanDistance(r *pcd.Result) float64 {
	sum, n := 0.0, 0
	for i, a := range r.Samples {
		b := r.Samples[(i+1)%len(r.Samples)]
		wa, wb := a.Shape[1], b.Shape[1]
		for k := range a.N {
			for h := range a.Shape[0] {
				p, q := a.Sample(k)[h*wa:], b.Sample(k)[h*wb:]
				sum += math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1]))
				n++
			}
		}
	}
	return sum / float64(n)
}

func TestRingOfFiveVariables(t *testing.T) {
	p := ring(t)
	coupled := mustSample(t, p, pcd.Options{Samples: 200, Seed: 5})
	p.Couplings = nil
	alone := mustSample(t, p, pcd.Options{Samples: 200, Seed: 5})
	if a, b := meanDistance(coupled), meanDistance(alone); !(a > 1.15*b) {
		t.Errorf("mean distance of neighbours is %v coupled and %v alone, want it to grow by 15 %%", a, b)
	}
	c := coupled.Certificate
	if !c.Certified || c.MaxViolation > 0 || c.Err() != nil {
		t.Errorf("certificate %+v, want certified", c)
	}
	for i, v := range c.Variables {
		if v.Constrained != (i%2 == 0) {
			t.Errorf("variable %d: constrained %v", i, v.Constrained)
		}
	}
}

// Samples do not depend on goroutines, chunks, batch size or shard.
func TestSamplesDoNotDependOnHowTheyAreComputed(t *testing.T) {
	p := ring(t)
	p.Couplings[0].At = pcd.AtEstimate
	p.Couplings[1].At = pcd.AtMean
	whole := mustSample(t, p, pcd.Options{Samples: 61, Seed: 6, Workers: 1})
	for _, o := range []pcd.Options{
		{Samples: 61, Seed: 6, Workers: 4},
		{Samples: 61, Seed: 6, Workers: 3, ChunkSize: 1},
		{Samples: 61, Seed: 6, ChunkSize: 1000},
		{Samples: 20, First: 17, Seed: 6},
		{Samples: 1, First: 60, Seed: 6},
	} {
		got := mustSample(t, p, o)
		for v := range got.Samples {
			if !slices.Equal(got.Samples[v].Data, whole.Samples[v].Rows(o.First, o.First+o.Samples).Data) {
				t.Errorf("%+v: variable %d differs from the run on one goroutine", o, v)
			}
		}
	}
	other := mustSample(t, p, pcd.Options{Samples: 61, Seed: 7})
	if slices.Equal(other.Samples[0].Data, whole.Samples[0].Data) {
		t.Error("another seed gave the same samples")
	}
}

func TestProblemErrorListsEverything(t *testing.T) {
	s := cosine(t, 32)
	nan := tensor.New(1, 2)
	nan.Data[1] = float32(math.NaN())
	p := pcd.Problem{
		Variables: []pcd.Variable{
			{Name: "empty"},
			{Name: "started", Model: gaussian(t, tensor.Shape{4, 2}, 0, 1, s), Init: pcd.Normal{Std: -1}},
			{Name: "fixed", Model: notDifferentiable{gaussian(t, tensor.Shape{4, 2}, 0, 1, s)},
				Conditions: []pcd.Condition{{Offset: 7, Values: tensor.New(1, 2)}, {Values: nan}, {Values: tensor.New(3, 2)}}},
		},
		Couplings: []pcd.Coupling{
			{Name: "nothing"},
			{Name: "far", Cost: cost.DPP{}, Variables: []int{1, 3}},
			{Name: "twice", Cost: cost.DPP{}, Variables: []int{1, 1}},
			{Name: "strong", Cost: cost.DPP{}, Variables: []int{1, 2}, Strength: math.Inf(1)},
			{Name: "scaled", Cost: cost.DPP{}, Variables: []int{1, 2}, Scale: pcd.ByStepSize},
			{Name: "pulled", Cost: cost.DPP{}, Variables: []int{1, 2}, At: pcd.AtEstimate},
			{Name: "barrier", Cost: cost.LogBarrier{}, Variables: []int{1, 2}},
		},
		Dynamics: pcd.DDPM{Schedule: s},
		Cadence:  pcd.Cadence{Every: -1},
	}
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 0, First: -1, ChunkSize: -1})
	var pe *pcd.ProblemError
	if !errors.As(err, &pe) {
		t.Fatalf("Sample = %v, want a *pcd.ProblemError", err)
	}
	for _, want := range []string{
		"0 samples", "first sample number is -1", "chunk size", "every -1 steps",
		"variable empty has neither", "variable started: normal initial state", "elements 7 to 8", "not a number", "samples 0 to 2",
		"coupling nothing has no cost", "variable number 3 does not exist", "listed twice", "strength +Inf", "scaled by the step size",
		"variable fixed, for the gradient at the estimate", "Alpha is 0",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q:\n%v", want, err)
		}
	}
	if !errors.Is(err, denoise.ErrNotDifferentiable) {
		t.Error("errors.Is does not see ErrNotDifferentiable")
	}
	if _, err := pcd.Sample(context.Background(), pcd.Problem{}, pcd.Options{Samples: 1}); err == nil {
		t.Error("the empty problem: no error")
	}
}

// notDifferentiable hides a model's vector-Jacobian product.
type notDifferentiable struct{ denoise.Denoiser }

func TestCancellationKeepsTheLastStep(t *testing.T) {
	p := ring(t)
	full := map[int]tensor.Batch{}
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		full[info.Done] = info.Samples(2)
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := pcd.Sample(ctx, p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		if info.Done == 9 {
			cancel()
		}
		return nil
	})})
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != pcd.Interrupted || r.Steps != 9 {
		t.Fatalf("cancelled run: %+v, %v", r, err)
	}
	if !slices.Equal(r.Samples[2].Data, full[9].Data) {
		t.Error("partial samples are not those of the last finished step")
	}
	stop := errors.New("enough")
	r, err = pcd.Sample(context.Background(), p, pcd.Options{Samples: 50, Seed: 8, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		info.Samples(2).Data[0] = 99 // a copy
		if info.Step == 20 {
			return stop
		}
		return nil
	})})
	if !errors.Is(err, stop) || r.Status != pcd.Stopped || !slices.Equal(r.Samples[2].Data, full[12].Data) {
		t.Errorf("stopped run: status %v after %d steps, %v", r.Status, r.Steps, err)
	}
}

// broken predicts NaN from a step on.
type broken struct {
	denoise.Denoiser
	below int
}

func (b broken) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	err := b.Denoiser.Predict(ctx, dst, x, t)
	if t < b.below {
		dst.Data[len(dst.Data)-1] = float32(math.NaN())
	}
	return err
}

func TestDivergenceIsReportedWithItsStep(t *testing.T) {
	s := cosine(t, 32)
	for _, set := range []project.Projector{nil, interval(t, -1, 1)} {
		r, err := pcd.Sample(context.Background(), pcd.Problem{
			Variables: []pcd.Variable{{Name: "x", Model: broken{gaussian(t, tensor.Shape{3}, 0, 1, s), 10}, Project: set}},
			Dynamics:  pcd.DDPM{Schedule: s},
		}, pcd.Options{Samples: 5, Workers: 1})
		var se *pcd.StepError
		var nf *tensor.NonFiniteError
		if !errors.As(err, &se) || se.Step != 9 || se.Variable != "x" || !errors.As(err, &nf) || nf.Sample != 4 || nf.Index != 2 {
			t.Errorf("error = %v, want step 9, variable x, sample 4, element 2", err)
		}
		if r == nil || r.Status != pcd.Failed || r.Steps != 22 || r.Samples[0].CheckFinite() != nil {
			t.Errorf("result %+v, want the finite samples of 22 steps", r)
		}
	}
}

// counter counts the steps at which it projects.
type counter struct {
	project.Projector
	calls *int
}

func (c counter) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	*c.calls++
	return c.Projector.Project(ctx, dst, x)
}

func TestCadence(t *testing.T) {
	s := cosine(t, 32)
	for _, c := range []struct {
		cadence pcd.Cadence
		want    int
	}{{pcd.Cadence{}, 32}, {pcd.Cadence{Every: 1}, 32}, {pcd.Cadence{Every: 5}, 7}, {pcd.Cadence{Every: 1000}, 1}, {pcd.Cadence{LastOnly: true}, 1}} {
		calls := 0
		r := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{3}, 2, 1, s), Project: counter{interval(t, -0.1, 0.1), &calls}}},
			Dynamics:  pcd.DDPM{Schedule: s},
			Cadence:   c.cadence,
		}, pcd.Options{Samples: 5, Workers: 1})
		if calls != c.want || !r.Certificate.Certified {
			t.Errorf("%+v: %d projections, certified %v; want %d and true", c.cadence, calls, r.Certificate.Certified, c.want)
		}
	}
}

// inOrder is the set of pairs x <= y, element by element.
type inOrder struct{}

func (inOrder) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 || !shapes[0].Equal(shapes[1]) {
		return errors.New("want two variables of one shape")
	}
	return nil
}

func (inOrder) Violation(dst []float64, x []tensor.Batch) {
	for k := range dst {
		dst[k] = math.Inf(-1)
		for j, v := range x[0].Sample(k) {
			dst[k] = max(dst[k], float64(v)-float64(x[1].Sample(k)[j]))
		}
	}
}

func (inOrder) Project(_ context.Context, dst, x []tensor.Batch) (project.Report, error) {
	for j, v := range x[0].Data {
		w := x[1].Data[j]
		if v > w {
			v, w = (v+w)/2, (v+w)/2
		}
		dst[0].Data[j], dst[1].Data[j] = v, w
	}
	return project.Report{Samples: x[0].N}, nil
}

// A constraint may hold several variables together.
func TestJointConstraint(t *testing.T) {
	s := cosine(t, 32)
	g := gaussian(t, tensor.Shape{3}, 0, 0.4, s)
	p := pcd.Problem{
		Variables:   []pcd.Variable{{Name: "x", Model: g}, {Name: "y", Model: g}, {Name: "z", Model: g}},
		Constraints: []pcd.Constraint{{Name: "order", Variables: []int{2, 0}, Project: inOrder{}}},
		Dynamics:    pcd.DDPM{Schedule: s},
	}
	r := mustSample(t, p, pcd.Options{Samples: 300, Seed: 20})
	if !r.Certificate.Certified || len(r.Certificate.Constraints) != 1 || r.JointProjections[0].Samples != 32*300 {
		t.Errorf("certificate %+v, reports %+v", r.Certificate, r.JointProjections)
	}
	v := make([]float64, 300)
	inOrder{}.Violation(v, []tensor.Batch{r.Samples[2], r.Samples[0]})
	if worst := slices.Max(v); worst > 0 {
		t.Errorf("z exceeds x by %v", worst)
	}
	p.Constraints = append(p.Constraints, pcd.Constraint{}, pcd.Constraint{Project: inOrder{}})
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: 1})
	for _, want := range []string{"constraint 1 has no set", "constraint 2: want two variables"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to mention %q", err, want)
		}
	}
}

func TestConditionsAndWindows(t *testing.T) {
	s := cosine(t, 32)
	start, goals := tensor.New(1, 2), tensor.New(7, 2)
	start.Data[0], start.Data[1] = 0.25, -0.5
	for i := range goals.Data {
		goals.Data[i] = float32(i)
	}
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{4, 2}, 0, 0.1, s), Conditions: []pcd.Condition{
			{Values: start},
			{Offset: 6, Values: goals, Window: pcd.Window{From: 1}},
		}}},
		Dynamics: pcd.DDPM{Schedule: s},
	}
	seen := 0
	r := mustSample(t, p, pcd.Options{Samples: 7, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		x := info.Samples(0)
		for k := range x.N {
			if !slices.Equal(x.Sample(k)[:2], start.Data) {
				t.Errorf("step %d, sample %d: start %v", info.Step, k, x.Sample(k)[:2])
			}
			if slices.Equal(x.Sample(k)[6:], goals.Sample(k)) {
				seen++
			}
		}
		return nil
	})})
	if seen != 31*7 {
		t.Errorf("the goal was in place %d times, want at 31 steps of 7 samples", seen)
	}
	if slices.Equal(r.Samples[0].Sample(3)[6:], goals.Sample(3)) {
		t.Error("the goal is still in place after the last step")
	}
	shard := mustSample(t, p, pcd.Options{Samples: 2, First: 4})
	if !slices.Equal(shard.Samples[0].Data, r.Samples[0].Rows(4, 6).Data) {
		t.Error("a shard does not find its rows of the conditions")
	}
}

func TestPresetsRun(t *testing.T) {
	for _, preset := range pcd.Presets() {
		d, err := preset.Dynamics()
		if err != nil {
			t.Fatal(err)
		}
		var s *schedule.Schedule
		if ddpm, ok := d.(pcd.DDPM); ok {
			if preset.Name == "images" { // the network timesteps go to 999
				if s, err = schedule.ScaledLinear(1000, 0.00085, 0.012); err != nil {
					t.Fatal(err)
				}
			} else {
				s = ddpm.Schedule
			}
		}
		shape := tensor.Shape{6, 2}
		p, err := preset.Problem([]pcd.Variable{
			{Name: "x", Model: gaussian(t, shape, 0.2, 0.3, s), Project: interval(t, -1, 1)},
			{Name: "y", Model: gaussian(t, shape, -0.2, 0.3, s), Project: interval(t, -1, 1)},
		}, preset.Coupling(cost.LogBarrier{Alpha: 0.1}, 0.02))
		if err != nil {
			t.Fatal(err)
		}
		r := mustSample(t, p, pcd.Options{Samples: 20, Seed: 1})
		if !r.Certificate.Certified || r.Status != pcd.Complete {
			t.Errorf("%s: status %v, certificate %+v", preset.Name, r.Status, r.Certificate)
		}
		if found, err := pcd.PresetByName(preset.Name); err != nil || found.Source != preset.Source {
			t.Errorf("PresetByName(%q) = %v, %v", preset.Name, found.Name, err)
		}
	}
	if _, err := pcd.PresetByName("mdd"); err == nil || !strings.Contains(err.Error(), "mmd") {
		t.Errorf("unknown preset: %v, want a list of the known", err)
	}
}

var _ noise.Source = noise.Field{}
