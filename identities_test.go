package pcd_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// energy is the cost -ln p(x_t) of a diffused model.
type energy struct {
	model *analytic.Mixture
	t     int
}

func (e energy) At(t int) cost.Cost { return energy{e.model, t} }

func (e energy) Check(shapes []tensor.Shape) error { return nil }

func (e energy) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, w float64) error {
	for k := range value {
		d, err := e.model.LogDensity(x[0].Sample(k), e.t)
		if err != nil {
			return err
		}
		value[k] -= w * d
	}
	if grad == nil {
		return nil
	}
	s := tensor.New(x[0].N, x[0].Shape...)
	if err := e.model.Predict(ctx, s, x[0], e.t); err != nil {
		return err
	}
	for j, v := range s.Data {
		grad[0].Data[j] -= float32(w * float64(v))
	}
	return nil
}

func closeTo(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > tol {
			t.Errorf("%s: element %d is %v, want %v ± %v", what, i, got[i], want[i], tol)
			return
		}
	}
}

// Compositional diffusion is a coupling by the difference of energies: sampling
// p₁ with the cost E₁₂ - E₁ = E₂ is sampling the product of p₁ and p₂.
func TestCompositionIsACoupling(t *testing.T) {
	shape := tensor.Shape{3}
	for name, d := range map[string]func(*schedule.Schedule) (pcd.Dynamics, pcd.Scale){
		"LMC": func(*schedule.Schedule) (pcd.Dynamics, pcd.Scale) {
			return pcd.LMC{Step: 0.01, Length: 40}, pcd.ByStepSize
		},
		"DDPM": func(s *schedule.Schedule) (pcd.Dynamics, pcd.Scale) { return pcd.DDPM{Schedule: s}, pcd.ByNoiseRate },
	} {
		var s *schedule.Schedule
		if name == "DDPM" {
			s = cosine(t, 32)
		}
		dynamics, scale := d(s)
		first, second := mixture(t, shape, s), mixture(t, shape, s)
		product, err := denoise.Compose([]denoise.Denoiser{first, second}, []float64{1, 1})
		if err != nil {
			t.Fatal(err)
		}
		opts := pcd.Options{Samples: 64, Seed: 11}
		composed := mustSample(t, pcd.Problem{Variables: []pcd.Variable{{Model: product}}, Dynamics: dynamics}, opts)
		coupled := mustSample(t, pcd.Problem{
			Variables: []pcd.Variable{{Model: first}},
			Couplings: []pcd.Coupling{{Cost: energy{model: second}, Strength: 1, Scale: scale}},
			Dynamics:  dynamics,
		}, opts)
		// The same numbers in another order; the first DDPM steps multiply by 650.
		closeTo(t, name, coupled.Samples[0].Data, composed.Samples[0].Data, 2e-3)
	}
}

// bivariate is the discriminator between pairs of a bivariate normal with
// correlation rho and pairs of its margins: D/(1-D) is the ratio of densities.
type bivariate struct{ rho float64 }

func (bivariate) Vars() int { return 2 }

func (b bivariate) Probability(_ context.Context, value []float64, grad, x []tensor.Batch) error {
	q := 1 - b.rho*b.rho
	for k := range value {
		u, v := float64(x[0].Data[k]), float64(x[1].Data[k])
		logRatio := -0.5*math.Log(q) - (b.rho*b.rho*(u*u+v*v)-2*b.rho*u*v)/(2*q)
		d := 1 / (1 + math.Exp(-logRatio))
		value[k] = d
		if grad != nil {
			grad[0].Data[k] = float32(d * (1 - d) * (b.rho*v - b.rho*b.rho*u) / q)
			grad[1].Data[k] = float32(d * (1 - d) * (b.rho*u - b.rho*b.rho*v) / q)
		}
	}
	return nil
}

// Joint diffusion with a discriminator is the coupling -ln D/(1-D) of strength 1:
// margins stay and the correlation appears.
func TestDiscriminatorGivesTheJointLaw(t *testing.T) {
	thorough.Test(t)
	const n, rho, step = 40000, 0.6, 0.02
	g := gaussian(t, tensor.Shape{1}, 0, 1, nil)
	r := mustSample(t, pcd.Problem{
		Variables: []pcd.Variable{{Model: g}, {Model: g}},
		Couplings: []pcd.Coupling{{Cost: cost.DensityRatio{Discriminator: bivariate{rho}}, Strength: 1, Scale: pcd.ByStepSize}},
		Dynamics:  pcd.LMC{Step: step, Length: 400},
	}, pcd.Options{Samples: n, Seed: 12})
	x, y := r.Samples[0].Data, r.Samples[1].Data
	// The chain is linear with precision P: its covariance is (P - δ P²/2)⁻¹.
	along := 1 / (1/(1+rho) - step/2/((1+rho)*(1+rho)))
	across := 1 / (1/(1-rho) - step/2/((1-rho)*(1-rho)))
	variance, covariance := (along+across)/2, (along-across)/2
	_, vx := moments(x)
	_, vy := moments(y)
	c := 0.0
	for k := range x {
		c += float64(x[k]) * float64(y[k]) / n
	}
	within(t, "variance of x", vx, variance, variance*math.Sqrt(2.0/n), 0)
	within(t, "variance of y", vy, variance, variance*math.Sqrt(2.0/n), 0)
	within(t, "covariance", c, covariance, math.Sqrt((variance*variance+covariance*covariance)/n), 0)
}

// silent is a source without noise.
type silent struct{}

func (silent) Normal(dst []float32, _ int, _ noise.Address) { clear(dst) }

// oneStep moves given states by the last steps of a run without noise.
func oneStep(t *testing.T, p pcd.Problem, x []tensor.Batch) []tensor.Batch {
	t.Helper()
	for v := range p.Variables {
		p.Variables[v].Init = pcd.Values(x[v])
	}
	var after []tensor.Batch
	_, err := pcd.Sample(context.Background(), p, pcd.Options{Samples: x[0].N, Noise: silent{}, Observer: pcd.ObserverFunc(func(info pcd.StepInfo) error {
		if info.Done == 1 {
			for v := range x {
				after = append(after, info.Samples(v))
			}
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	return after
}

// At the estimate, the guidance is the gradient of the cost as a function of the
// noisy states, through the model: checked by central differences of that
// composite function.
func TestPosteriorSamplingGradient(t *testing.T) {
	// Up to timestep 15 the estimate is a well conditioned function of the state.
	low := make([]int, 16)
	for i := range low {
		low[i] = i
	}
	s, err := cosine(t, 32).Respace(low)
	if err != nil {
		t.Fatal(err)
	}
	shape := tensor.Shape{4, 2}
	const n, gamma = 6, 0.3
	barrier := cost.LogBarrier{Alpha: 0.3}
	for _, clip := range []float64{0, 0.8} {
		d := pcd.DDPM{Schedule: s, Clip: clip}
		p := pcd.Problem{Variables: []pcd.Variable{{Model: mixture(t, shape, s)}, {Model: mixture(t, shape, s)}}, Dynamics: d}
		x := []tensor.Batch{tensor.New(n, shape...), tensor.New(n, shape...)}
		for v := range x {
			noise.New(13).Normal(x[v].Data, 8, noise.Address{Variable: v})
		}
		plain := oneStep(t, p, x)
		p.Couplings = []pcd.Coupling{{Cost: barrier, Strength: gamma, At: pcd.AtEstimate}}
		guided := oneStep(t, p, x)

		composite := func(x []tensor.Batch) []float64 {
			estimates := make([]tensor.Batch, 2)
			for v := range x {
				m, err := denoise.Convert(p.Variables[v].Model, schedule.X0, s)
				if err != nil {
					t.Fatal(err)
				}
				estimates[v] = tensor.New(n, shape...)
				if err := m.Predict(context.Background(), estimates[v], x[v], 15); err != nil {
					t.Fatal(err)
				}
				for j, e := range estimates[v].Data {
					if clip > 0 {
						estimates[v].Data[j] = min(max(e, float32(-clip)), float32(clip))
					}
				}
			}
			value := make([]float64, n)
			if err := barrier.Add(context.Background(), value, nil, estimates, 1); err != nil {
				t.Fatal(err)
			}
			return value
		}
		for v := range x {
			for j := range x[v].Data[:8] {
				up, down := []tensor.Batch{x[0].Clone(), x[1].Clone()}, []tensor.Batch{x[0].Clone(), x[1].Clone()}
				for k := range n {
					up[v].Sample(k)[j] += 1.0 / 64
					down[v].Sample(k)[j] -= 1.0 / 64
				}
				cu, cd := composite(up), composite(down)
				for k := range n {
					want := -gamma * (cu[k] - cd[k]) * 32
					got := float64(guided[v].Sample(k)[j]) - float64(plain[v].Sample(k)[j])
					if math.Abs(got-want) > 2e-3*(1+math.Abs(want)) {
						t.Errorf("clip %v, variable %d, sample %d, element %d: guidance %v, want %v", clip, v, k, j, got, want)
					}
				}
			}
		}
	}
}

// Where the model's estimate is the state itself, posterior sampling is plain
// coupling, bit for bit.
func TestEstimateWithoutNoiseIsTheState(t *testing.T) {
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, tensor.Shape{2}, 0, 1, nil)}, {Model: gaussian(t, tensor.Shape{2}, 0, 1, nil)}},
		Couplings: []pcd.Coupling{{Cost: cost.LogBarrier{Alpha: 0.5}, Strength: 3, Scale: pcd.ByStepSize, Transforms: []pcd.Transform{pcd.ClipPoints{Max: 100}}}},
		Dynamics:  pcd.LMC{Step: 0.05, Length: 30},
	}
	a := mustSample(t, p, pcd.Options{Samples: 100, Seed: 14})
	p.Couplings[0].At = pcd.AtEstimate
	b := mustSample(t, p, pcd.Options{Samples: 100, Seed: 14})
	if !slices.Equal(a.Samples[0].Data, b.Samples[0].Data) {
		t.Error("the gradient at an estimate equal to the state gives other samples")
	}
}

// A variable held by a singleton and one that is given lead to the same samples
// of the other, also for diffusion chains.
func TestPinnedIsGiven(t *testing.T) {
	s := cosine(t, 32)
	shape := tensor.Shape{4, 2}
	value := tensor.New(1, 4, 2)
	for i := range value.Data {
		value.Data[i] = 0.1 * float32(i)
	}
	x := pcd.Variable{Name: "x", Model: mixture(t, shape, s)}
	given := pcd.Problem{
		Variables: []pcd.Variable{x, {Name: "y", Init: pcd.Values(value)}},
		Couplings: []pcd.Coupling{{Cost: cost.LogBarrier{Alpha: 0.2}, Strength: 0.1}},
		Dynamics:  pcd.DDPM{Schedule: s},
	}
	held, err := project.NewSingleton(value)
	if err != nil {
		t.Fatal(err)
	}
	pinned := given
	pinned.Variables = []pcd.Variable{x, {Name: "y", Model: fixed{shape}, Init: pcd.Values(value), Project: held}}
	a, b := mustSample(t, given, pcd.Options{Samples: 50, Seed: 15}), mustSample(t, pinned, pcd.Options{Samples: 50, Seed: 15})
	if !slices.Equal(a.Samples[0].Data, b.Samples[0].Data) {
		t.Error("a pinned and a given variable lead to different samples")
	}
	if !b.Certificate.Certified {
		t.Errorf("pinned variable: %v", b.Certificate.Err())
	}
}

// fixed predicts no noise.
type fixed struct{ shape tensor.Shape }

func (f fixed) Shape() tensor.Shape { return f.shape }

func (f fixed) Kind() schedule.Kind { return schedule.Epsilon }

func (f fixed) Predict(_ context.Context, dst, _ tensor.Batch, _ int) error {
	clear(dst.Data)
	return nil
}

// stub predicts a tenth of the state as noise.
type stub struct{ fixed }

func (stub) Predict(_ context.Context, dst, x tensor.Batch, _ int) error {
	for i, v := range x.Data {
		dst.Data[i] = 0.1 * v
	}
	return nil
}

// The chain of the manipulation reference on a stub network without noise, from
// its published vectors (float64): rows 1, 8 and 15 of X, rows 1 and 15 of Y.
func TestManipulationChains(t *testing.T) {
	shape := tensor.Shape{16, 2}
	x, y := tensor.New(1, shape...), tensor.New(1, shape...)
	for h := range 16 {
		for d := range 2 {
			x.Data[2*h+d] = float32(math.Sin(0.5*float64(h) + float64(d)))
			y.Data[2*h+d] = float32(math.Cos(0.4*float64(h) - float64(d)))
		}
	}
	coupling := func(c cost.Cost, strength float64) []pcd.Coupling {
		return []pcd.Coupling{{Cost: c, Strength: strength, Window: pcd.Window{From: 2}}}
	}
	for name, c := range map[string]struct {
		couplings []pcd.Coupling
		want      [10]float32
		tol       float64
	}{
		"DP": {nil, [10]float32{0.644101, 0.678096, -0.667260, -0.676359, 0.675417, 0.669136, 0.674655, 0.670345, 0.676415, 0.625224}, 2e-5},
		"CD-DPP": {coupling(cost.DPP{}, 0.2),
			[10]float32{0.471221, 0.601185, -0.528336, -0.632276, 0.568293, 0.649481, 0.641255, 0.540865, 0.575610, 0.403515}, 2e-5},
		"CD-LB": {coupling(cost.LogBarrier{Alpha: 0.1}, 0.02),
			[10]float32{-1, 0.945400, 0.232312, -0.999847, 0.619786, 1, 1, 0.095153, 0.727107, -1}, 2e-3},
	} {
		p := pcd.Problem{
			Variables: []pcd.Variable{
				{Name: "X", Model: stub{fixed{shape}}, Init: pcd.Values(x)},
				{Name: "Y", Model: stub{fixed{shape}}, Init: pcd.Values(y)},
			},
			Couplings: c.couplings,
			Dynamics:  pcd.DDPM{Schedule: cosine(t, 32), Clip: 1},
		}
		r := mustSample(t, p, pcd.Options{Samples: 1, Noise: silent{}})
		a, b := r.Samples[0].Data, r.Samples[1].Data
		got := slices.Concat(a[2:4], a[16:18], a[30:32], b[2:4], b[30:32])
		closeTo(t, name, got, c.want[:], c.tol)
	}
}
