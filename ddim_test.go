package pcd_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
)

// images returns the schedule of the latent diffusion models at n timesteps, and ᾱ
// of the first one that they were trained on.
func images(t *testing.T, n int) (s *schedule.Schedule, end float64) {
	t.Helper()
	training, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = training.Leading(n, 1); err != nil {
		t.Fatal(err)
	}
	return s, training.At(0).AlphaBar
}

// next is mean and noise of one step from the recorded state.
func next(g *golden.Archive, d pcd.Dynamics, i int) []float32 {
	x, eps, z := g.Float32("sample"), g.Float32("epsilon"), g.Float32("noise")
	out := make([]float32, len(x))
	step := d.Transition(i, schedule.Epsilon)
	step.WriteMean(out, x, eps)
	std := float32(step.Std)
	for j := range out {
		out[j] += std * z[j]
	}
	return out
}

func TestDDIMSteps(t *testing.T) {
	g := golden.Open(t, "schedule/testdata/scheduler_ddim.npz")
	for _, c := range []struct {
		n, timestep int
		etas        []float64
	}{{100, 991, []float64{0, 0.5}}, {100, 501, []float64{0, 0.5}}, {100, 11, []float64{0, 0.5}}, {100, 1, []float64{0, 0.5}}, {50, 501, []float64{0}}} {
		s, end := images(t, c.n)
		s, err := s.EndAt(end)
		if err != nil {
			t.Fatal(err)
		}
		for _, eta := range c.etas {
			name := fmt.Sprintf("step%d_t%d_eta%g", c.n, c.timestep, eta)
			got := next(g, pcd.DDIM{Schedule: s, Eta: eta}, c.timestep*c.n/1000)
			golden.Close(t, name, got, g.Float32(name), 3e-5, 2e-5)
		}
	}
}

// A last step to its own level, as of models whose timesteps have no offset and end at that of their
// first, changes nothing, whatever the model predicts.
func TestDDIMEndsWhereItIs(t *testing.T) {
	s, err := stableDiffusion(t).Leading(20, 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.EndAt(s.At(0).AlphaBar); err != nil {
		t.Fatal(err)
	}
	x, p, out := []float32{1.5, -2, 0.25}, []float32{-0.5, 3, 1}, make([]float32, 3)
	for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.V, schedule.X0} {
		tr := pcd.DDIM{Schedule: s, Eta: 1}.Transition(0, kind)
		tr.WriteMean(out, x, p)
		golden.Close(t, kind.String(), out, x, 1e-6, 0)
		if tr.Std != 0 || math.Abs(tr.PredictionRate) > 1e-9 || tr.NoiseRate != 0 {
			t.Errorf("%v: noise %v, rates %v and %v, want none", kind, tr.Std, tr.PredictionRate, tr.NoiseRate)
		}
	}
}

// Ancestral sampling of the image models, with noise times k.
func TestImageDDPMSteps(t *testing.T) {
	g := golden.Open(t, "schedule/testdata/scheduler_ddpm.npz")
	check := func(n, timestep int, k float64) {
		s, _ := images(t, n)
		name := fmt.Sprintf("step%d_t%d_k%g", n, timestep, k)
		atol := 2e-5
		if k == 20 {
			atol = 1e-4
		}
		got := next(g, pcd.DDPM{Schedule: s, NoiseScale: k}, timestep*n/1000)
		golden.Close(t, name, got, g.Float32(name), atol, 2e-5)
	}
	s, _ := images(t, 100)
	x, eps := g.Float32("sample"), g.Float32("epsilon")
	for _, timestep := range []int{991, 981, 501, 241, 21, 11, 1} {
		for _, k := range []float64{1, 3.5, 20} {
			check(100, timestep, k)
		}
		x0 := make([]float32, len(x))
		s.At(timestep/10).Tweedie(x0, x, eps, schedule.Epsilon, 0)
		golden.Close(t, fmt.Sprintf("x0 at t=%d", timestep), x0, g.Float32(fmt.Sprintf("x0_t%d", timestep)), 1e-4, 5e-5)
	}
	for _, timestep := range []int{801, 601, 401, 201, 1} {
		check(5, timestep, 2)
	}
}

// With eta 1 a step is that of DDPM, whatever the model predicts.
func TestDDIMWithFullNoiseIsDDPM(t *testing.T) {
	s := cosine(t, 32)
	x, p := []float32{-2, -0.3, 0.1, 1.7}, []float32{0.4, -0.9, 0.2, 1.1}
	for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Score} {
		for i := range s.Len() {
			a, b := make([]float32, 4), make([]float32, 4)
			ddim, ddpm := pcd.DDIM{Schedule: s, Eta: 1}.Transition(i, kind), pcd.DDPM{Schedule: s}.Transition(i, kind)
			ddim.WriteMean(a, x, p)
			ddpm.WriteMean(b, x, p)
			size := 1 + s.At(i).NoiseToSignal // of the estimate, whose float32 rounding is left
			golden.Close(t, fmt.Sprintf("%v, step %d", kind, i), a, b, 3e-5*size, 1e-4)
			if math.Abs(ddim.Std-ddpm.Std) > 1e-9 {
				t.Errorf("step %d: deviation %v, want %v", i, ddim.Std, ddpm.Std)
			}
		}
	}
}

// Without noise, a normal is sampled exactly from few steps of any spacing: mean and
// variance of the samples are those of the data, up to the error of the steps.
func TestDDIMSamplesNormals(t *testing.T) {
	s := cosine(t, 1000)
	var timesteps []int
	for step := 0; step < 1000; step += 1 + step/20 { // finer towards the end
		timesteps = append(timesteps, step)
	}
	grid, err := s.Respace(timesteps)
	if err != nil {
		t.Fatal(err)
	}
	shape := []int{4}
	p := pcd.Problem{
		Variables: []pcd.Variable{{Model: gaussian(t, shape, 0.7, 0.25, s)}},
		Dynamics:  pcd.DDIM{Schedule: grid},
	}
	const n = 20000
	mean, variance := moments(mustSample(t, p, pcd.Options{Samples: n, Seed: 5}).Samples[0].Data)
	within(t, "mean", mean, 0.7, 0.5/math.Sqrt(4*n), 0.01)
	within(t, "variance", variance, 0.25, 0.25*math.Sqrt(2./(4*n)), 0.01)
}

func TestDDIMChecks(t *testing.T) {
	s := cosine(t, 8)
	for name, d := range map[string]pcd.DDIM{
		"no schedule":  {},
		"eta above 1":  {Schedule: s, Eta: 1.01},
		"negative eta": {Schedule: s, Eta: -0.1},
		"NaN":          {Schedule: s, Eta: math.NaN()},
		"clip":         {Schedule: s, Clip: math.Inf(1)},
	} {
		if err := d.Check(schedule.Epsilon); err == nil {
			t.Errorf("%s: Check = nil, want an error", name)
		}
	}
	if err := (pcd.DDIM{Schedule: s, Eta: 0.5, Clip: 1}).Check(schedule.Kind(9)); err == nil {
		t.Error("unknown kind: Check = nil, want an error")
	}
	if got := (pcd.DDIM{Schedule: s, Eta: 0.5, Clip: 1}).String(); got != "DDIM, squared-cosine(8), eta 0.5, estimate clipped to 1" {
		t.Errorf("String = %q", got)
	}
}
