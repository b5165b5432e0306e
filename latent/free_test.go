package latent

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Data N(m, s²) and a hull of one point z: free steps from the state √ᾱ z + σ ε lead to
// the posterior of the clean sample, whose moments are known,
//
//	mean      m + K √ᾱ (z - m)           K = s² √ᾱ / (ᾱ s² + σ²)
//	variance  K² σ² + s² σ² / (ᾱ s² + σ²)
//
// With the noise and the state of projected steps they do not.
func TestFreeStepsDrawThePosterior(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	const m, s, z, from, n, size = 0.5, 0.7, 1.5, 200, 300, 64
	steps := must(schedule.ScaledLinear(1000, 0.00085, 0.012))(t)
	model := must(analytic.NewGaussian(tensor.Shape{size}, []float64{m}, []float64{s * s}, steps))(t)
	point := tensor.New(1, size)
	for i := range point.Data {
		point.Data[i] = z
	}
	draw := func(free *Free, scale float64) (mean, variance float64) {
		e := Ensemble{Members: []Member{{Model: model, Exemplars: point}}, Dynamics: pcd.DDPM{Schedule: steps, NoiseScale: scale}, Free: free}
		e.Project.Steps = &Selection{From: from, To: 999}
		p, _, err := e.Problem()
		if err != nil {
			t.Fatal(err)
		}
		out, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: n, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return metric.Moments(wide(out.Samples[0].Data))
	}
	at := steps.At(from - 1) // the first free step
	k := s * s * at.SqrtAlphaBar / (at.AlphaBar*s*s + at.Sigma*at.Sigma)
	wantMean := m + k*at.SqrtAlphaBar*(z-m)
	wantVariance := k*k*at.Sigma*at.Sigma + s*s*at.Sigma*at.Sigma/(at.AlphaBar*s*s+at.Sigma*at.Sigma)
	close := func(mean, variance float64) bool { // 5 deviations of 19 200 numbers, and 1 % for 200 steps
		return math.Abs(mean-wantMean) < 5*math.Sqrt(wantVariance/(n*size)) && math.Abs(variance/wantVariance-1) < 0.06
	}
	mean, variance := draw(&Free{Dynamics: pcd.DDPM{Schedule: steps}, Noise: noise.New(2)}, 8)
	if !close(mean, variance) {
		t.Errorf("free steps: mean %.4f, variance %.4f; want %.4f and %.4f", mean, variance, wantMean, wantVariance)
	}
	for _, scale := range []float64{1, 8} {
		if a, b := draw(nil, scale); close(a, b) {
			t.Errorf("steps with noise scale %g are right as they are: mean %.4f, variance %.4f", scale, a, b)
		} else {
			t.Logf("noise scale %g: mean %.4f, variance %.4f; free %.4f, %.4f; want %.4f, %.4f", scale, a, b, mean, variance, wantMean, wantVariance)
		}
	}
}

func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// Where every step projects, nothing is free; otherwise every step has one strength.
func TestFreeStepsOfAProblem(t *testing.T) {
	steps := must(schedule.Linear(10, 0.1, 0.2))(t)
	e := Ensemble{
		Members:  []Member{{Exemplars: tensor.New(1, 2)}, {}},
		Dynamics: pcd.DDPM{Schedule: steps, NoiseScale: 8}, Free: &Free{Dynamics: pcd.DDPM{Schedule: steps}, Gamma: 1, Noise: noise.New(1)},
	}
	for _, c := range []struct {
		selected Selection
		want     []float64
	}{
		{Selection{0, 9}, []float64{5, 5, 5, 5, 5, 5, 5, 5, 5, 5}},
		{Selection{3, 9}, []float64{1, 1, 1, 5, 5, 5, 5, 5, 5, 5}},
		{Selection{3, 6}, []float64{1, 1, 1, 5, 5, 5, 5, 1, 1, 1}},
		{Selection{0, 6}, []float64{5, 5, 5, 5, 5, 5, 5, 1, 1, 1}},
	} {
		e.Project.Steps = &c.selected
		p := pcd.Problem{Dynamics: e.Dynamics, Couplings: []pcd.Coupling{{Strength: 5}}}
		e.release(&p)
		for i, want := range c.want {
			total := 0.0
			for _, k := range p.Couplings {
				if k.Window.Contains(i) {
					total += k.Strength
				}
			}
			std := p.Dynamics.Transition(i, schedule.Epsilon).Std / steps.At(i).PosteriorStd()
			if scale := map[float64]float64{1: 1, 5: 8}[want]; total != want || i > 0 && math.Abs(std-scale) > 1e-12 {
				t.Errorf("%v projected: step %d has the strength %g and the noise %g", c.selected, i, total, std)
			}
		}
		x := []tensor.Batch{tensor.New(1, 2), tensor.New(1, 2)}
		if c.selected.From == 0 {
			continue
		}
		for i := 9; i >= 0; i-- {
			clear(x[0].Data)
			if err := p.Before.Correct(t.Context(), x, i, i); err != nil {
				t.Fatal(err)
			}
			if moved := x[0].Data[0] != 0; moved != (i == 2) || x[1].Data[0] != 0 {
				t.Errorf("%v projected: step %d begins at %v and %v", c.selected, i, x[0].Data, x[1].Data)
			}
		}
	}
}
