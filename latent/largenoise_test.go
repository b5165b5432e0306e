package latent

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/schedule"
)

// noised is a scheduler of DDPM that says which noise its steps add.
const noised = `{"_class_name": "DDPMScheduler", "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "clip_sample": false, "steps_offset": %d, "variance_type": %q}`

// TestLargeNoise wants steps of fixed_large to add noise of the variance 1 - ᾱ/ᾱ', but for that from timestep 0. Clean samples that
// are unit normals have unit normals at every level, and the network that knows them predicts √(1-ᾱ) x: a step with that noise
// keeps the variance of the state at 1 exactly, where that of fixed_small loses some.
func TestLargeNoise(t *testing.T) {
	bars := scaledBars(false)
	for _, offset := range []int{0, 1} {
		n := must(ParseNoise([]byte(fmt.Sprintf(noised, offset, "fixed_large"))))(t)
		small := must((&Model{Noise: must(ParseNoise([]byte(fmt.Sprintf(noised, offset, "fixed_small"))))(t)}).Dynamics(Sampler{Steps: 5}))(t)
		d := must((&Model{Noise: n}).Dynamics(Sampler{Steps: 5}))(t)
		twice := must((&Model{Noise: n}).Dynamics(Sampler{Steps: 5, NoiseScale: 2}))(t)
		for i := range d.Steps() {
			tr, before := d.Transition(i, schedule.Epsilon), 1.0
			at := bars[tr.Timestep]
			if i > 0 {
				before = bars[tr.Timestep-200]
			}
			want := 1 - at/before
			if tr.Timestep == 0 {
				want = 0
			}
			if got := tr.Std * tr.Std; math.Abs(got-want) > 1e-12 {
				t.Errorf("offset %d: from timestep %d the variance of the noise is %v, want %v", offset, tr.Timestep, got, want)
			}
			if got := twice.Transition(i, schedule.Epsilon).Std; got != 2*tr.Std {
				t.Errorf("offset %d: from timestep %d twice the noise is %v, want %v", offset, tr.Timestep, got, 2*tr.Std)
			}
			gain := meanOf(tr, 1, math.Sqrt(1-at)) // linear in the state
			if got := gain*gain + tr.Std*tr.Std; tr.Timestep > 0 && math.Abs(got-1) > 1e-12 {
				t.Errorf("offset %d: after timestep %d the variance of the state is %v, want 1", offset, tr.Timestep, got)
			}
			less := small.Transition(i, schedule.Epsilon)
			if less.Mean != tr.Mean || tr.Timestep > 0 && !(less.Std < tr.Std) {
				t.Errorf("offset %d: from timestep %d %+v, and %+v of fixed_small, want the same mean and more noise", offset, tr.Timestep, tr, less)
			}
		}
		name := "forward noise"
		if offset == 0 {
			name += " but at timestep 0"
		}
		if got := fmt.Sprint(d); !strings.HasSuffix(got, name) {
			t.Errorf("offset %d: %s, want one that ends in %q", offset, got, name)
		}
		if _, plain := d.(pcd.DDPM); plain != (offset > 0) {
			t.Errorf("offset %d: the steps are a %T", offset, d)
		}
		if _, err := n.Visit(5); err != nil {
			t.Errorf("offset %d: %v", offset, err)
		}
	}
}

// TestLargeNoiseIsOfDDPM leaves other samplers as they are, and refuses the noise where no signal is left at the end.
func TestLargeNoiseIsOfDDPM(t *testing.T) {
	large := &Model{Noise: must(ParseNoise([]byte(fmt.Sprintf(noised, 1, "fixed_large"))))(t)}
	small := &Model{Noise: must(ParseNoise([]byte(fmt.Sprintf(noised, 1, "fixed_small"))))(t)}
	for _, method := range Methods() {
		a, b := must(large.Dynamics(Sampler{Steps: 5, Method: method}))(t), must(small.Dynamics(Sampler{Steps: 5, Method: method}))(t)
		if same := fmt.Sprint(a) == fmt.Sprint(b); same != (method != "ddpm") {
			t.Errorf("%s: %v and %v", method, a, b)
		}
	}
	for _, text := range []string{
		strings.Replace(fmt.Sprintf(noised, 1, "fixed_large"), "{", `{"rescale_betas_zero_snr": true, "prediction_type": "v_prediction", `, 1),
		fmt.Sprintf(noised, 1, "fixed_large_log"), // whose root the library takes of a negative number
	} {
		var refused *SettingError
		_, err := (&Model{Noise: must(ParseNoise([]byte(text)))(t)}).Dynamics(Sampler{Steps: 5})
		if !errors.As(err, &refused) || refused.Name != "variance_type" || !strings.Contains(err.Error(), "fixed_small") {
			t.Errorf("%s: %v, want a *SettingError of variance_type", text, err)
		}
	}
}
