package latent

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/schedule"
)

// scaledBars are ᾱ of √β in equal parts from √0.00085 to √0.012, rescaled to end without signal where zero.
func scaledBars(zero bool) []float64 {
	bars, bar := make([]float64, 1000), 1.0
	for i := range bars {
		root := math.Sqrt(0.00085) + (math.Sqrt(0.012)-math.Sqrt(0.00085))*float64(i)/999
		bar *= 1 - root*root
		bars[i] = bar
	}
	first, last := math.Sqrt(bars[0]), math.Sqrt(bars[999])
	for i := range bars {
		if zero {
			r := (math.Sqrt(bars[i]) - last) * first / (first - last)
			bars[i] = r * r
		}
	}
	return bars
}

// meanOf is the mean of a step from a number of the state and of the prediction, in float64.
func meanOf(t pcd.Transition, x, p float64) float64 {
	d := t.Estimate.State*x + t.Estimate.Prediction*p
	if t.Estimate.Clip > 0 {
		d = max(-t.Estimate.Clip, min(t.Estimate.Clip, d))
	}
	return t.Mean.Estimate*d + t.Mean.State*x + t.Mean.Prediction*p
}

const clippingFile = `{"_class_name": "DDIMScheduler", "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "clip_sample": true, "clip_sample_range": 0.5,
	"set_alpha_to_one": true, "steps_offset": 0, "timestep_spacing": "trailing", "rescale_betas_zero_snr": %v, "prediction_type": %q}`

// clipping are the steps of a method under a file whose estimates are clipped.
func clipping(t *testing.T, method, prediction string, zero bool) pcd.Dynamics {
	t.Helper()
	n := must(ParseNoise([]byte(fmt.Sprintf(clippingFile, zero, prediction))))(t)
	return must((&Model{Noise: n}).Dynamics(Sampler{Steps: 5, Method: method}))(t)
}

// TestNoiseFollowsClippedEstimates takes the steps of DDPM at zero terminal SNR, and the first halves of those of Heun's
// method, by their formulas: both go on from the estimate as it was clipped.
func TestNoiseFollowsClippedEstimates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, method := range []string{"ddpm", "heun"} {
		zero := method == "ddpm"
		bars, d := scaledBars(zero), clipping(t, method, "v_prediction", zero)
		for i := range d.Steps() {
			tr := d.Transition(i, schedule.V)
			at := bars[tr.Timestep]
			before := 1.0 // ᾱ of the state that the step leads to
			if tr.Timestep > 199 {
				before = bars[tr.Timestep-200]
			}
			if len(tr.Kept) > 0 {
				continue
			}
			for range 20 {
				x, p := r.NormFloat64(), r.NormFloat64()
				clean := max(-0.5, min(0.5, math.Sqrt(at)*x-math.Sqrt(1-at)*p))
				alpha := at / before
				want := math.Sqrt(before)*(1-alpha)/(1-at)*clean + math.Sqrt(alpha)*(1-before)/(1-at)*x
				if method == "heun" {
					want = math.Sqrt(before)*clean + math.Sqrt(1-before)*(x-math.Sqrt(at)*clean)/math.Sqrt(1-at)
				}
				if got := meanOf(tr, x, p); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s at timestep %d: the mean is %v, want %v", method, tr.Timestep, got, want)
				}
			}
		}
		if name := fmt.Sprint(d); !strings.HasSuffix(name, "estimate clipped to 0.5, which the noise follows") {
			t.Errorf("%s is described as %q", method, name)
		}
		if start := d.(pcd.Starter).Start(); math.Abs(start-math.Sqrt(1-bars[999])) > 1e-6 {
			t.Errorf("%s starts at noise of %v, want %v", method, start, math.Sqrt(1-bars[999]))
		}
	}
}

// TestTCDAtZeroSNR wants its levels below the next timesteps to be rescaled as these are: without noise, its steps before the last
// are those of DDIM over its timesteps.
func TestTCDAtZeroSNR(t *testing.T) {
	bars, d := scaledBars(true), clipping(t, "tcd", "v_prediction", true)
	for i := 1; i < d.Steps(); i++ {
		tr, next := d.Transition(i, schedule.V), d.Transition(i-1, schedule.V)
		at, to := bars[tr.Timestep], bars[next.Timestep]
		const x, p = 0.2, -0.1
		want := math.Sqrt(to)*(math.Sqrt(at)*x-math.Sqrt(1-at)*p) + math.Sqrt(1-to)*(math.Sqrt(at)*p+math.Sqrt(1-at)*x)
		if got := meanOf(tr, x, p); math.Abs(got-want) > 1e-9 {
			t.Errorf("from timestep %d to %d: the mean is %v, want %v", tr.Timestep, next.Timestep, got, want)
		}
	}
}

// TestSolverTypeOfThirdOrder honours the key in the steps of third order's beginning and end that are of second.
func TestSolverTypeOfThirdOrder(t *testing.T) {
	const file = `{"_class_name": "DPMSolverMultistepScheduler", "solver_order": 3, "solver_type": "heun"}`
	d := must((&Model{Noise: must(ParseNoise([]byte(file)))(t)}).Dynamics(Sampler{Steps: 6, Method: Published}))(t)
	if err := d.Check(schedule.Epsilon); err != nil || !strings.Contains(fmt.Sprint(d), "3M, Taylor") {
		t.Errorf("%v, %v, want 3M, Taylor", d, err)
	}
	third, second := d.Transition(4, schedule.Epsilon), must((&Model{Noise: must(ParseNoise([]byte(strings.Replace(file, "3", "2", 1))))(t)}).Dynamics(Sampler{Steps: 6, Method: Published}))(t).Transition(4, schedule.Epsilon)
	if third.Mean != second.Mean {
		t.Errorf("its second step is %+v, want %+v of second order", third.Mean, second.Mean)
	}
	n := must(ParseNoise([]byte(strings.Replace(file, `"heun"`, `"midpoint", "algorithm_type": "sde-dpmsolver++"`, 1))))(t)
	var refused *SettingError
	if _, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 6, Method: Published}); !errors.As(err, &refused) || refused.Name != "solver_order" {
		t.Errorf("third order with noise: %v, want a *SettingError of solver_order", err)
	}
}
