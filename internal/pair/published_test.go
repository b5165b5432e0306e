package pair

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// withoutSignal lets a model's schedule end without a signal.
func withoutSignal(t testing.TB, m *Model) {
	t.Helper()
	var err error
	m.Noise, err = latent.ParseNoise([]byte(`{"_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "clip_sample": false,
		"prediction_type": "v_prediction", "rescale_betas_zero_snr": true, "timestep_spacing": "trailing"}`))
	check(t, err)
	check(t, m.Net.Predicts(m.Noise.Prediction))
}

// A schedule without a signal at its end draws pairs with the noise that it has. What it cannot do is
// refused: free steps, another noise, a model of another schedule beside it.
func TestPairsWithoutSignalAtTheEnd(t *testing.T) {
	r := request(t, SDP)
	other := *r.Model.Model
	withoutSignal(t, r.Model)
	if out := do(t, r); out.Choices.NoiseScale != 1 || !out.Certificate.Certified {
		t.Errorf("noise scale %v, want 1; certificate %+v", out.Choices.NoiseScale, out.Certificate)
	}
	for _, method := range []Method{PCD, PCDPS, SDC} { // the first step, which no push can change, is left out
		coupled := request(t, method)
		withoutSignal(t, coupled.Model)
		coupled.Gamma = 3
		pushed := do(t, coupled)
		coupled.Gamma = 6
		if slices.Equal(pushed.Members[0].Latents.Data, do(t, coupled).Members[0].Latents.Data) {
			t.Errorf("%s: the strength of the coupling changes nothing", method)
		}
	}
	one := request(t, PCD) // whose only step is the first
	withoutSignal(t, one.Model)
	one.Steps = 1
	var few *latent.SettingError
	if _, err := Do(t.Context(), one); !errors.As(err, &few) || !strings.Contains(err.Error(), "steps is 1, want 2 or more, or a method that does not couple, such as sd-p") {
		t.Errorf("one step: %v, want a *latent.SettingError that names what helps", err)
	}
	alone := one
	alone.Method = SDP
	do(t, alone)
	one.Steps = 2
	do(t, one)
	for name, change := range map[string]func(*Request){
		"timesteps":              func(r *Request) { r.Timesteps = "400:" },
		"noise scale":            func(r *Request) { r.NoiseScale = 2 },
		"rescale_betas_zero_snr": func(r *Request) { r.Members[1].Model = &Model{Model: &other} },
	} {
		r := r
		r.Members = append([]Member(nil), r.Members...)
		change(&r)
		var refused *latent.SettingError
		if _, err := Do(t.Context(), r); !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want a *latent.SettingError that names it", name, err)
		}
	}
}

// The images of a pair have one size, that of the first model, whatever another was trained on.
func TestModelsOfTwoSizes(t *testing.T) {
	r := request(t, SDP)
	c := r.Model.Net.Config()
	c.SampleSize *= 2
	net, err := nn.NewUNet2DCondition(c)
	check(t, err)
	net.Init(noise.New(3).Sub("unet"))
	large := *r.Model.Model
	large.Net = net
	r.Members[1].Model = &Model{Model: &large}
	out := do(t, r)
	if a, b := out.Members[0].Latents.Shape, out.Members[1].Latents.Shape; !a.Equal(b) {
		t.Errorf("latents of shapes %v and %v", a, b)
	}
}

// An error for what no method asked for names none.
func TestNeedsWithoutMethod(t *testing.T) {
	if text := (&NeedsError{What: "a judge", Remedy: "train one"}).Error(); text != "pair: what is asked for needs a judge: train one" {
		t.Errorf("%q", text)
	}
}
