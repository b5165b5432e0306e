package latent

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/weights"
)

// TestSchedulersOfOldReleases reads what the library wrote in 2022: arrays were NumPy's or PyTorch's, and a switch
// said what the network predicts.
func TestSchedulersOfOldReleases(t *testing.T) {
	const betas = `"beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "num_train_timesteps": 1000, "trained_betas": null, `
	for text, want := range map[string]struct {
		method string
		kind   schedule.Kind
	}{
		`{"_class_name": "PNDMScheduler", "_diffusers_version": "0.3.0", ` + betas + `"skip_prk_steps": true, "tensor_format": "np"}`:                                                   {"plms", schedule.Epsilon},
		`{"_class_name": "DDIMScheduler", "_diffusers_version": "0.3.0", ` + betas + `"clip_sample": false, "set_alpha_to_one": false, "tensor_format": "pt", "timestep_values": null}`: {"ddim", schedule.Epsilon},
		`{"_class_name": "DPMSolverMultistepScheduler", "_diffusers_version": "0.8.0", ` + betas + `"predict_epsilon": true, "solver_order": 2, "thresholding": false,
			"sample_max_value": 1.0, "algorithm_type": "dpmsolver++", "solver_type": "midpoint", "lower_order_final": true}`: {"dpm++2m", schedule.Epsilon},
		`{"_class_name": "DDPMScheduler", "_diffusers_version": "0.8.0", ` + betas + `"predict_epsilon": false, "clip_sample": false, "variance_type": "fixed_small"}`: {"ddpm", schedule.X0},
		`{"_class_name": "DDIMScheduler", ` + betas + `"predict_epsilon": true, "prediction_type": "v_prediction"}`:                                                    {"ddim", schedule.V},
	} {
		n, err := ParseNoise([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if method, _ := n.Published(); method != want.method || n.Prediction != want.kind {
			t.Errorf("%s: %s, predicts %v; want %s, %v", text, method, n.Prediction, want.method, want.kind)
		}
		if _, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: Published}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestTrainingsThatAreNotSaid wants files that contradict themselves, or leave the noise of the training to a
// class that has none of betas, to be refused, as keys of relatives that nobody knows.
func TestTrainingsThatAreNotSaid(t *testing.T) {
	for text, name := range map[string]string{
		`{"_class_name": "DDPMScheduler", "predict_epsilon": false, "prediction_type": "epsilon"}`: "predict_epsilon",
		`{"_class_name": "IPNDMScheduler", "num_train_timesteps": 1000, "trained_betas": null}`:    "IPNDMScheduler",
		`{"_class_name": "UniPCMultistepScheduler", "some_future_key": 3}`:                         "some_future_key",
		`{"_class_name": "DDIMScheduler", "beta_start": null}`:                                     "beta_start",
		`{"_class_name": "DDIMScheduler", "prediction_type": null}`:                                "prediction_type",
	} {
		var refused *SettingError
		if _, err := ParseNoise([]byte(text)); !errors.As(err, &refused) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want a *SettingError that names %s", text, err, name)
		}
	}
}

// TestBetasOfRelatives wants the defaults of the class that the file names, not of the one that stands for it.
func TestBetasOfRelatives(t *testing.T) {
	for class, want := range map[string]string{"DPMSolverSDEScheduler": "linear(1000, 0.00085, 0.012)", "KDPM2AncestralDiscreteScheduler": "linear(1000, 0.00085, 0.012)",
		"KDPM2DiscreteScheduler": "linear(1000, 0.00085, 0.012)", "LMSDiscreteScheduler": "linear(1000, 0.0001, 0.02)", "UniPCMultistepScheduler": "linear(1000, 0.0001, 0.02)"} {
		n := must(ParseNoise([]byte(fmt.Sprintf(`{"_class_name": %q}`, class))))(t)
		if got := n.Schedule.Name(); got != want {
			t.Errorf("%s has the noise %s, want %s", class, got, want)
		}
	}
}

// TestSwitchesWithoutValue are off, as the library takes them, also where the class has them on.
func TestSwitchesWithoutValue(t *testing.T) {
	n := must(ParseNoise([]byte(`{"_class_name": "DDIMScheduler", "clip_sample": null, "set_alpha_to_one": null}`)))(t)
	d := fmt.Sprint(must((&Model{Noise: n}).Dynamics(Sampler{Steps: 3, Method: "ddim"}))(t))
	if want := "ending at alpha-bar 0.9999, eta 0"; !strings.HasSuffix(d, want) {
		t.Errorf("%s, want one that ends in %q", d, want)
	}
}

// TestClassOfTheFolder samples a file that names no class as the class that model_index.json names, and refuses
// one that holds nothing.
func TestClassOfTheFolder(t *testing.T) {
	for text, want := range map[string]string{`{"beta_schedule": "scaled_linear"}`: "plms", `{"_class_name": "DDIMScheduler"}`: "ddim"} {
		settings := map[string]string{"scheduler": text, "unet": tinySettings["family 1"]["unet"], "vae": tinySettings["family 1"]["vae"]}
		m := must(Open(tinyFolder(t, settings, weights.F16)))(t)
		if method, _ := m.Noise.Published(); method != want {
			t.Errorf("%s is sampled by %s, want %s", text, method, want)
		}
	}
	if _, err := ParseNoise([]byte("null")); err == nil {
		t.Error("a file of nothing is read")
	}
}
