package pcd_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// squares is the cost ½ Σ (x-y)² of two variables.
type squares struct{}

func (squares) Check([]tensor.Shape) error { return nil }

func (squares) Add(_ context.Context, _ []float64, grad, x []tensor.Batch, w float64) error {
	for j := range x[0].Data {
		d := float32(w) * (x[0].Data[j] - x[1].Data[j])
		grad[0].Data[j] += d
		grad[1].Data[j] -= d
	}
	return nil
}

// ofTwo is the noise of vectors of two variables.
type ofTwo struct{ start, steps []float32 }

func (d ofTwo) Normal(dst []float32, _ int, at noise.Address) {
	n := len(dst)
	if at.Draw == 0 {
		copy(dst, d.start[at.Variable*n:])
		return
	}
	copy(dst, d.steps[(2*(at.Draw-1)+at.Variable)*n:])
}

// TestGuidedPredictions couples two variables through their predictions under the samplers
// of the reference, with and without a box that states are projected on.
func TestGuidedPredictions(t *testing.T) {
	s := openSamplers(t, "coupled")
	training := stableDiffusion(t)
	leading := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 5, Offset: 1}))
	respaced, err := training.Leading(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]pcd.Dynamics{
		"ddpm": pcd.DDPM{Schedule: respaced}, "ddim": pcd.DDIM{Schedule: respaced}, "ddim_eta": pcd.DDIM{Schedule: respaced, Eta: 0.5},
		"euler": pcd.Euler{Grid: leading}, "euler_a": pcd.Euler{Grid: leading, Eta: 1},
		"heun": pcd.Heun{Grid: leading}, "dpmpp2m": pcd.DPMSolver{Grid: leading},
	} {
		for suffix, projected := range map[string]bool{"": false, "_projected": true} {
			want := s.io["out."+name+suffix+".x"]
			shape := tensor.Shape(want.Shape[3:])
			a := pcd.Variable{Model: standIn{shape: shape}, Init: pcd.Normal{Std: 1}}
			b := pcd.Variable{Model: standIn{shape: shape, later: 40}, Init: pcd.Normal{Std: 1}}
			if projected {
				a.Project, b.Project = interval(t, -1.2, 1.2), interval(t, -1.2, 1.2)
			}
			var states [][]float32
			watch := pcd.ObserverFunc(func(info pcd.StepInfo) error {
				states = append(states, append(info.Samples(0).Data, info.Samples(1).Data...))
				return nil
			})
			p := pcd.Problem{
				Variables: []pcd.Variable{a, b}, Dynamics: d,
				Couplings: []pcd.Coupling{{Cost: squares{}, Strength: 0.35, Scale: pcd.ByPrediction}},
			}
			field := ofTwo{s.io["in.start"].Data, s.io["in.noise"].Data}
			mustSample(t, p, pcd.Options{Samples: 1, Noise: field, Observer: watch})
			s.compare(t, "out."+name+suffix+".x", states)
		}
	}
}

// normalAt is the exact model of data N(mu, s²): in float64 but for its result.
type normalAt struct {
	mu, s float64
	grid  *schedule.Grid
}

func (normalAt) Shape() tensor.Shape { return tensor.Shape{9} }
func (normalAt) Kind() schedule.Kind { return schedule.X0 }

// Predict finds the level by its number: the grids of the test call them timesteps.
func (m normalAt) Predict(_ context.Context, dst, x tensor.Batch, t int) error {
	l := m.grid.To(m.grid.Len() - 1)
	if k := 1000 - t; k < m.grid.Len() {
		l = m.grid.From(k)
	}
	v := l.Sigma() * l.Sigma()
	for j, u := range x.Data {
		dst.Data[j] = float32((m.s*m.s*float64(u)/l.Signal + v*m.mu) / (m.s*m.s + v))
	}
	return nil
}

// TestOrders compares Euler, Heun and DPM++ 2M on a normal with the reference's chains and
// with the exact path, and wants the errors to fall as the orders say.
func TestOrders(t *testing.T) {
	s := openSamplers(t, "gaussian_order")
	const from, to = 10, 0.1
	errors := map[string][]float64{}
	for _, n := range []int{4, 8, 16, 32} {
		g := karras(t, from, to, n)
		for name, d := range map[string]pcd.Dynamics{
			"euler": pcd.Euler{Grid: g}, "heun": pcd.Heun{Grid: g}, "dpmpp_2m": pcd.DPMSolver{Grid: g, HighFinal: true},
		} {
			start := tensor.New(1, 9)
			for j, v := range s.io["in.start"].Data {
				start.Data[j] = v * float32(g.From(0).Signal)
			}
			p := pcd.Problem{Variables: []pcd.Variable{{Model: normalAt{0.7, 0.6, g}, Init: pcd.Values(start)}}, Dynamics: d}
			got := mustSample(t, p, pcd.Options{Samples: 1}).Samples[0].Data
			worst, exact := 0.0, s.io["out.exact"].Data
			for j := range got {
				got[j] /= float32(g.To(n - 1).Signal)
				worst = max(worst, math.Abs(float64(got[j]-exact[j])))
			}
			s.compare(t, fmt.Sprintf("out.%s.%d", name, n), chunked(got, s.io["out.exact"].Shape[0]))
			errors[name] = append(errors[name], worst)
		}
	}
	for name, ratio := range map[string][2]float64{"euler": {1.9, 2.1}, "heun": {3.9, 4.6}, "dpmpp_2m": {3.6, 4.4}} {
		e := errors[name]
		if last := e[2] / e[3]; last < ratio[0] || last > ratio[1] {
			t.Errorf("%s: the error falls by %.3f for twice the steps, want %v to %v", name, last, ratio[0], ratio[1])
		}
	}
}

// chunked divides numbers into n equal parts.
func chunked(v []float32, n int) (out [][]float32) {
	for size := len(v) / n; len(v) > 0; v = v[size:] {
		out = append(out, v[:size])
	}
	return out
}

// karras returns the grid of n steps between two sigmas, with the numbers 1000, 999, … as
// timesteps.
func karras(t *testing.T, from, to float64, n int) *schedule.Grid {
	t.Helper()
	var levels []schedule.Level
	for i := range n + 1 {
		u := float64(i) / float64(n)
		sigma := math.Pow(math.Pow(from, 1./7)+u*(math.Pow(to, 1./7)-math.Pow(from, 1./7)), 7)
		signal := 1 / math.Sqrt(1+sigma*sigma)
		levels = append(levels, schedule.Level{Timestep: float64(1000 - i), Signal: signal, Noise: sigma * signal})
	}
	return mustGrid(t)(schedule.NewGrid("karras", levels...))
}

// drawWith samples the stand-in network, of any kind, under dynamics.
func drawWith(t *testing.T, d pcd.Dynamics, kind schedule.Kind, couplings ...pcd.Coupling) []float32 {
	t.Helper()
	m := standIn{shape: tensor.Shape{3, 4}, kind: kind}
	other := m
	other.later = 40
	p := pcd.Problem{Variables: []pcd.Variable{{Model: m, Init: pcd.Normal{Std: 1}}, {Model: other, Init: pcd.Normal{Std: 1}}}, Dynamics: d, Couplings: couplings}
	r := mustSample(t, p, pcd.Options{Samples: 3, Seed: 11})
	return append(r.Samples[0].Data, r.Samples[1].Data...)
}

// TestSamplersThatAreOne compares samplers that are the same by algebra, coupled and not, for
// models of every kind.
func TestSamplersThatAreOne(t *testing.T) {
	training := stableDiffusion(t)
	g := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 6, Offset: 1}))
	one := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 1, Spacing: schedule.Trailing, EndAtFirst: true}))
	clean := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 1, Spacing: schedule.Trailing}))
	respaced, err := training.Leading(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	coupling := pcd.Coupling{Cost: squares{}, Strength: 0.2, Scale: pcd.ByPrediction}
	for _, pair := range []struct {
		what string
		a, b pcd.Dynamics
	}{
		{"DDIM and Euler", pcd.DDIM{Schedule: respaced}, pcd.Euler{Grid: g}},
		{"DDIM and Euler with eta", pcd.DDIM{Schedule: respaced, Eta: 0.4}, pcd.Euler{Grid: g, Eta: 0.4}},
		{"DDPM and Euler ancestral", pcd.DDPM{Schedule: respaced}, pcd.Euler{Grid: g, Eta: 1}},
		{"DDIM and DPM-Solver++ of order 1", pcd.DDIM{Schedule: respaced}, pcd.DPMSolver{Grid: g, Order: 1}},
		{"DDPM and DPM-Solver++ SDE of order 1", pcd.DDPM{Schedule: respaced}, pcd.DPMSolver{Grid: g, Order: 1, SDE: true}},
		{"Heun and Euler of one step", pcd.Heun{Grid: clean}, pcd.Euler{Grid: clean}},
		{"Heun of long steps and Euler", pcd.Heun{Grid: g, EulerAbove: 1}, pcd.Euler{Grid: g}},
		{"PLMS and Euler of one step", pcd.PNDM{Grid: one}, pcd.Euler{Grid: one}},
		{"TCD and Euler of one step", pcd.TCD{Grid: one, Training: training}, pcd.Euler{Grid: one}},
	} {
		for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Flow} {
			for _, couplings := range [][]pcd.Coupling{nil, {coupling}} {
				what := fmt.Sprintf("%s, %v, %d couplings", pair.what, kind, len(couplings))
				golden.Close(t, what, drawWith(t, pair.a, kind, couplings...), drawWith(t, pair.b, kind, couplings...), 4e-5, 2e-5)
			}
		}
	}
}

// everySampler returns one of every sampler over grids of n steps.
func everySampler(t *testing.T, n int) map[string]pcd.Dynamics {
	t.Helper()
	training := stableDiffusion(t)
	grid := func(o schedule.GridOptions) *schedule.Grid {
		o.Steps = n
		return mustGrid(t)(training.Grid(o))
	}
	g := grid(schedule.GridOptions{Offset: 1})
	return map[string]pcd.Dynamics{
		"Euler": pcd.Euler{Grid: g}, "Euler ancestral": pcd.Euler{Grid: g, Eta: 1}, "Euler with churn": pcd.Euler{Grid: g, Churn: 1},
		"Heun": pcd.Heun{Grid: g}, "Heun between timesteps": pcd.Heun{Grid: grid(schedule.GridOptions{Family: schedule.Continuous, Spacing: schedule.Linspace})},
		"DPM++ 2M": pcd.DPMSolver{Grid: g}, "DPM++ 3M": pcd.DPMSolver{Grid: g, Order: 3}, "DPM++ 2M SDE": pcd.DPMSolver{Grid: g, SDE: true},
		"LCM":  pcd.LCM{Grid: grid(schedule.GridOptions{Family: schedule.Distilled})},
		"TCD":  pcd.TCD{Grid: grid(schedule.GridOptions{Family: schedule.Distilled, EndAtFirst: true}), Training: training, Eta: 0.3},
		"PLMS": pcd.PNDM{Grid: g}, "PNDM": pcd.PNDM{Grid: grid(schedule.GridOptions{Offset: 1, Halved: 3}), RungeKutta: true},
	}
}

// constant says the same clean sample of every state.
type constant struct{ standIn }

func (constant) Kind() schedule.Kind           { return schedule.X0 }
func (c constant) At(float64) denoise.Denoiser { return c }
func (c constant) Predict(_ context.Context, dst, _ tensor.Batch, _ int) error {
	for j := range dst.Data {
		dst.Data[j] = 0.75
	}
	return nil
}

// TestAConstantEstimateIsTheSample wants every sampler that ends at the clean sample to end
// where the model always points.
func TestAConstantEstimateIsTheSample(t *testing.T) {
	for name, d := range everySampler(t, 8) {
		if name == "TCD" {
			continue // ends at timestep 0
		}
		p := pcd.Problem{Variables: []pcd.Variable{{Model: constant{standIn{shape: tensor.Shape{5}}}}}, Dynamics: d}
		tol := 2e-5
		if name == "LCM" {
			tol = 1e-3 // keeps a part of the state
		}
		for _, v := range mustSample(t, p, pcd.Options{Samples: 2, Seed: 3}).Samples[0].Data {
			within(t, name, float64(v), 0.75, 0, tol)
		}
	}
}

// TestHeunFollowsClippedEstimates takes both halves of steps by the formulas of algorithm 1 in x̃ = x/Signal, with the
// limited estimates D in the place of the denoiser's: x̃' = x̃ + (σ'-σ) (x̃-D)/σ, then the mean of both directions.
func TestHeunFollowsClippedEstimates(t *testing.T) {
	const clip = 0.5
	g, r := karras(t, 10, 0.1, 4), rand.New(rand.NewPCG(3, 1))
	clipped := func(tr pcd.Transition, x, p float64) float64 {
		return max(-clip, min(clip, tr.Estimate.State*x+tr.Estimate.Prediction*p))
	}
	for _, d := range []pcd.Heun{{Grid: g, Clip: clip}, {Grid: g, Clip: clip, EulerAbove: 1}} {
		for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V} {
			for i := d.Steps() - 1; i >= 0; i-- {
				x, p, q := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
				first := d.Transition(i, kind)
				k := 1000 - first.Timestep // the level, by the timesteps of karras
				from, to := g.From(k), g.To(k)
				state, D := x/from.Signal, clipped(first, x, p)
				h, slope := to.Sigma()-from.Sigma(), (state-D)/from.Sigma()
				got := first.Mean.Estimate*D + first.Mean.State*x + first.Mean.Prediction*p
				within(t, fmt.Sprintf("%v of %v from level %d", d, kind, k), got, to.Signal*(state+h*slope), 0, 1e-9)
				if !first.Inner {
					continue
				}
				i--
				second, y := d.Transition(i, kind), got
				D = clipped(second, y, q)
				got = second.Mean.Estimate*D + second.Mean.State*y + second.Mean.Prediction*q + second.Kept[0]*x
				within(t, fmt.Sprintf("%v of %v to level %d", d, kind, k+1), got, to.Signal*(state+h/2*(slope+(y/to.Signal-D)/to.Sigma())), 0, 1e-9)
			}
		}
	}
}

// TestSamplersKeepThePromises wants of every sampler samples that depend neither on the
// batch nor on the goroutines, inside the set, bit for bit those of no coupling at strength 0.
func TestSamplersKeepThePromises(t *testing.T) {
	for name, d := range everySampler(t, 8) {
		m := standIn{shape: tensor.Shape{4}}
		p := pcd.Problem{
			Variables: []pcd.Variable{{Model: m, Project: interval(t, -0.5, 0.5)}, {Model: m}}, Dynamics: d,
			Couplings: []pcd.Coupling{{Cost: squares{}, Strength: 0.1, Scale: pcd.ByPrediction}},
		}
		whole := mustSample(t, p, pcd.Options{Samples: 7, Seed: 5, Workers: 1})
		if err := whole.Certificate.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		parts := mustSample(t, p, pcd.Options{Samples: 3, First: 2, Seed: 5, Workers: 3, ChunkSize: 2})
		for v := range parts.Samples {
			same(t, name+": other chunks", parts.Samples[v].Data, whole.Samples[v].Rows(2, 5).Data)
		}
		p.Couplings[0].Strength = 0
		off := mustSample(t, p, pcd.Options{Samples: 7, Seed: 5})
		p.Couplings = nil
		none := mustSample(t, p, pcd.Options{Samples: 7, Seed: 5})
		same(t, name+": strength 0", off.Samples[1].Data, none.Samples[1].Data)
	}
}

func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for j := range got {
		if math.Float32bits(got[j]) != math.Float32bits(want[j]) {
			t.Errorf("%s: element %d is %v, want %v bit for bit", what, j, got[j], want[j])
			return
		}
	}
}

// whole is a model that knows whole timesteps only.
type whole struct{ denoise.Denoiser }

// TestSamplersRefuse wants errors, before anything is computed, for what makes no chain.
func TestSamplersRefuse(t *testing.T) {
	training := stableDiffusion(t)
	g := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 4, Offset: 1}))
	zero := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 4, Spacing: schedule.Trailing, ZeroSNR: true}))
	between := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 5, Spacing: schedule.Linspace, Family: schedule.Continuous}))
	noiseOf := standIn{shape: tensor.Shape{2}}
	velocity := standIn{shape: tensor.Shape{2}, kind: schedule.V}
	for what, c := range map[string]struct {
		d    pcd.Dynamics
		m    denoise.Denoiser
		want string
	}{
		"no grid":              {pcd.Euler{}, noiseOf, "no grid"},
		"eta":                  {pcd.Euler{Grid: g, Eta: 2}, noiseOf, "eta is 2"},
		"negative churn":       {pcd.Euler{Grid: g, Churn: -1}, noiseOf, "churn"},
		"churn and eta":        {pcd.Euler{Grid: g, Churn: 1, Eta: 1}, noiseOf, "churn alone"},
		"clip":                 {pcd.Heun{Grid: g, Clip: math.NaN()}, noiseOf, "clip"},
		"factor":               {pcd.Heun{Grid: g, EulerAbove: math.NaN()}, noiseOf, "factor"},
		"order":                {pcd.DPMSolver{Grid: g, Order: 4}, noiseOf, "order 4"},
		"order of noise":       {pcd.DPMSolver{Grid: g, Order: 3, SDE: true}, noiseOf, "order 3"},
		"time scale":           {pcd.LCM{Grid: g, TimeScale: -1}, noiseOf, "time scale"},
		"no training":          {pcd.TCD{Grid: g}, noiseOf, "schedule of the training"},
		"TCD eta":              {pcd.TCD{Grid: g, Training: training, Eta: -1}, noiseOf, "eta"},
		"TCD between":          {pcd.TCD{Grid: between, Training: training}, noiseOf, "other timesteps"},
		"few levels":           {pcd.PNDM{Grid: g, RungeKutta: true}, noiseOf, "Runge-Kutta"},
		"noise without signal": {pcd.Euler{Grid: zero}, noiseOf, "without signal"},
		"infinite sigma":       {pcd.DPMSolver{Grid: zero}, velocity, "infinite sigma"},
		"whole timesteps":      {pcd.Heun{Grid: between}, whole{noiseOf}, "whole ones"},
		"infinite push":        {pcd.Euler{Grid: zero}, velocity, "window of 0 to 3"},
	} {
		p := pcd.Problem{Variables: []pcd.Variable{{Model: c.m}, {Model: c.m}}, Dynamics: c.d}
		p.Couplings = []pcd.Coupling{{Cost: squares{}, Strength: 1, Scale: pcd.ByPrediction}}
		_, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", what, err, c.want)
		}
	}
	for from, want := range map[int]string{1: "window of 1 to 3", 3: "begin the window at a step below 3"} {
		p := coupledOver(zero, velocity, pcd.Window{From: from})
		if _, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a window from step %d: error %v, want one that says %q", from, err, want)
		}
	}
	for _, w := range []pcd.Window{{To: 3}, {From: 1, To: 3}, {To: 2}} { // what the errors say
		mustSample(t, coupledOver(zero, velocity, w), pcd.Options{Samples: 2})
	}
	alone := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 1, Spacing: schedule.Trailing, ZeroSNR: true}))
	if _, err := pcd.Sample(t.Context(), coupledOver(alone, velocity, pcd.Window{}), pcd.Options{Samples: 1}); err == nil || !strings.Contains(err.Error(), "dynamics of more steps") {
		t.Errorf("one step without signal: error %v, want one that says that more are wanted", err)
	}
}

// coupledOver couples two variables over a grid, where a window says.
func coupledOver(g *schedule.Grid, m denoise.Denoiser, w pcd.Window) pcd.Problem {
	return pcd.Problem{Variables: []pcd.Variable{{Model: m}, {Model: m}}, Dynamics: pcd.Euler{Grid: g},
		Couplings: []pcd.Coupling{{Cost: squares{}, Strength: 0.1, Scale: pcd.ByPrediction, Window: w}}}
}

// TestSamplersAreNamed wants every sampler to say what it is, with its grid.
func TestSamplersAreNamed(t *testing.T) {
	for name, d := range everySampler(t, 8) {
		text := fmt.Sprint(d)
		if !strings.Contains(text, "scaled-linear(1000, 0.00085, 0.012)") {
			t.Errorf("%s is called %q, want its schedule in it", name, text)
		}
	}
}

var _ cost.Cost = squares{}
