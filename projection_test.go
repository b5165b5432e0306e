package pcd_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// watched is a set that remembers how far what it is given is outside.
type watched struct {
	project.Projector
	outside *[]float64
}

func (w watched) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	worst := 0.0
	for _, v := range x.Data {
		worst = max(worst, math.Abs(float64(v))-0.5)
	}
	*w.outside = append(*w.outside, worst)
	return w.Projector.Project(ctx, dst, x)
}

// solvers are all dynamics over a few levels, and how many calls they have.
func solvers(t *testing.T) map[string]pcd.Dynamics {
	t.Helper()
	training := stableDiffusion(t)
	grid := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 6, Spacing: schedule.Trailing}))
	distilled := mustGrid(t)(training.Grid(schedule.GridOptions{Steps: 6, Family: schedule.Distilled}))
	few, err := training.Leading(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]pcd.Dynamics{
		"ddpm": pcd.DDPM{Schedule: few}, "ddim": pcd.DDIM{Schedule: few}, "ddim eta": pcd.DDIM{Schedule: few, Eta: 0.5}, "clipped": pcd.DDIM{Schedule: few, Clip: 2},
		"euler": pcd.Euler{Grid: grid}, "ancestral": pcd.Euler{Grid: grid, Eta: 1}, "heun": pcd.Heun{Grid: grid}, "dpm++": pcd.DPMSolver{Grid: grid},
		"sde": pcd.DPMSolver{Grid: grid, SDE: true}, "third": pcd.DPMSolver{Grid: grid, Order: 3}, "lcm": pcd.LCM{Grid: distilled, TimeScale: 1e9},
		"plms": pcd.PNDM{Grid: grid}, "tcd": pcd.TCD{Grid: distilled, Training: training},
	}
}

// TestEstimatesAreProjected runs every sampler with a coupling and a box that estimates are
// projected on: each call projects once, and where a sampler ends in its last estimate, the
// sample is in the box before it is projected itself.
func TestEstimatesAreProjected(t *testing.T) {
	for name, d := range solvers(t) {
		for _, kind := range []schedule.Kind{schedule.Epsilon, schedule.V} {
			var outside []float64
			var variables []pcd.Variable
			for later := range 2 {
				set := watched{interval(t, -0.5, 0.5), &outside}
				variables = append(variables, pcd.Variable{Model: standIn{shape: tensor.Shape{5}, kind: kind, later: float64(40 * later)}, Project: set})
			}
			p := pcd.Problem{Variables: variables, Dynamics: d, Cadence: pcd.Cadence{At: pcd.AtEstimate},
				Couplings: []pcd.Coupling{{Cost: squares{}, Strength: 0.3, Scale: pcd.ByPrediction}}}
			r := mustSample(t, p, pcd.Options{Samples: 3, Seed: 5, Workers: 1, ChunkSize: 3})
			if want := 2 * (d.Steps() + 1); len(outside) != want {
				t.Errorf("%s: %d projections, want %d", name, len(outside), want)
			}
			if slices.Max(outside[:2*d.Steps()]) < 0.1 {
				t.Errorf("%s: estimates were never outside, which tests nothing: %v", name, outside)
			}
			endsElsewhere := name == "tcd" || name == "plms" // at the level of timestep 0, and along earlier predictions
			for _, last := range outside[2*d.Steps():] {
				if !endsElsewhere && last > 1e-5 {
					t.Errorf("%s, %v: the sample is outside by %g before it is projected", name, kind, last)
				}
			}
			if !r.Certificate.Certified {
				t.Errorf("%s: %+v, want certified samples", name, r.Certificate)
			}
		}
	}
}

// TestProjectedEstimatesByHand compares the states of DDIM with a recursion that was written
// down: the estimate, the box, and the noise that then explains the state.
func TestProjectedEstimatesByHand(t *testing.T) {
	few, err := stableDiffusion(t).Leading(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	shape := tensor.Shape{4}
	model := standIn{shape: shape}
	start := []float32{0.7, -1.1, 0.2, 1.6}
	var states [][]float32
	watch := pcd.ObserverFunc(func(info pcd.StepInfo) error {
		states = append(states, info.Samples(0).Data)
		return nil
	})
	p := pcd.Problem{Variables: []pcd.Variable{{Model: model, Project: interval(t, -0.5, 0.5)}}, Dynamics: pcd.DDIM{Schedule: few}, Cadence: pcd.Cadence{At: pcd.AtEstimate}}
	mustSample(t, p, pcd.Options{Samples: 1, Noise: drawn{start: start}, Observer: watch})
	x := make([]float64, 4)
	for j, v := range start {
		x[j] = float64(v)
	}
	in, out := tensor.New(1, shape...), tensor.New(1, shape...)
	for k, i := 0, few.Len()-1; i >= 0; k, i = k+1, i-1 {
		level := few.At(i)
		for j := range x {
			in.Data[j] = float32(x[j])
		}
		if err := model.Predict(t.Context(), out, in, level.Timestep); err != nil {
			t.Fatal(err)
		}
		a, b := math.Sqrt(level.AlphaBar), math.Sqrt(1-level.AlphaBar)
		for j := range x {
			d := min(max((x[j]-b*float64(out.Data[j]))/a, -0.5), 0.5)
			x[j] = math.Sqrt(level.AlphaBarPrev)*d + math.Sqrt(1-level.AlphaBarPrev)*(x[j]-a*d)/b
		}
		golden.Close(t, "state", states[k], x, 1e-5, 1e-5)
	}
}

// TestSetsOfEverythingChangeNothing wants a box that holds everything to leave all bits, and
// samples that do not depend on their neighbours.
func TestSetsOfEverythingChangeNothing(t *testing.T) {
	for name, d := range solvers(t) {
		free := pcd.Problem{Variables: []pcd.Variable{{Model: standIn{shape: tensor.Shape{5}}}}, Dynamics: d}
		boxed := free
		boxed.Variables = []pcd.Variable{{Model: standIn{shape: tensor.Shape{5}}, Project: interval(t, -1e6, 1e6)}}
		boxed.Cadence.At = pcd.AtEstimate
		o := pcd.Options{Samples: 4, Seed: 2}
		a, b := mustSample(t, free, o).Samples[0], mustSample(t, boxed, o).Samples[0]
		if !slices.Equal(a.Data, b.Data) {
			t.Errorf("%s: a set of everything moves %v to %v", name, a.Data[:5], b.Data[:5])
		}
		boxed.Variables[0].Project = interval(t, -0.5, 0.5)
		all := mustSample(t, boxed, o).Samples[0]
		one := mustSample(t, boxed, pcd.Options{Samples: 1, First: 2, Seed: 2, Workers: 2}).Samples[0]
		if !slices.Equal(all.Sample(2), one.Sample(0)) {
			t.Errorf("%s: a sample depends on its neighbours", name)
		}
	}
}

// TestPlacementsRefused wants errors for placements that say nothing.
func TestPlacementsRefused(t *testing.T) {
	score, err := denoise.Convert(gaussian(t, tensor.Shape{1}, 0, 1, cosine(t, 10)), schedule.Score, cosine(t, 10))
	if err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]pcd.Problem{
		"want state or estimate": {Dynamics: solvers(t)["ddim"], Cadence: pcd.Cadence{At: pcd.AtMean}, Variables: []pcd.Variable{{Model: standIn{shape: tensor.Shape{1}}}}},
		"give LMC a Sigma":       {Dynamics: pcd.LMC{Step: 0.1, Length: 3}, Cadence: pcd.Cadence{At: pcd.AtEstimate}, Variables: []pcd.Variable{{Model: score}}},
	} {
		if err := p.Validate(pcd.Options{Samples: 1}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want one that says %q", err, what)
		}
	}
}
