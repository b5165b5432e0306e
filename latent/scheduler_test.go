package latent

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/schedule"
)

// publishedSchedulers are the schedulers of folders as they were published, or as the library writes
// them now.
var publishedSchedulers = map[string]string{
	"SD 1.5": `{"_class_name": "PNDMScheduler", "_diffusers_version": "0.6.0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085,
		"num_train_timesteps": 1000, "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null, "clip_sample": false}`,
	"SD 2.0": `{"_class_name": "PNDMScheduler", "_diffusers_version": "0.8.0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false,
		"num_train_timesteps": 1000, "prediction_type": "epsilon", "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null}`,
	"SD 2.1": `{"_class_name": "PNDMScheduler", "_diffusers_version": "0.10.0.dev0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false,
		"num_train_timesteps": 1000, "prediction_type": "epsilon", "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null}`,
	"Euler a": `{"_class_name": "EulerAncestralDiscreteScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "num_train_timesteps": 1000,
		"prediction_type": "epsilon", "rescale_betas_zero_snr": false, "steps_offset": 1, "timestep_spacing": "linspace", "trained_betas": null}`,
	"Heun": `{"_class_name": "HeunDiscreteScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "clip_sample_range": 1.0,
		"num_train_timesteps": 1000, "prediction_type": "epsilon", "steps_offset": 0, "timestep_spacing": "linspace", "trained_betas": null, "use_beta_sigmas": false,
		"use_exponential_sigmas": false, "use_karras_sigmas": false}`,
	"TCD": `{"_class_name": "TCDScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "clip_sample_range": 1.0,
		"dynamic_thresholding_ratio": 0.995, "num_train_timesteps": 1000, "original_inference_steps": 50, "prediction_type": "epsilon", "rescale_betas_zero_snr": false,
		"sample_max_value": 1.0, "set_alpha_to_one": true, "steps_offset": 0, "thresholding": false, "timestep_scaling": 10.0, "timestep_spacing": "leading", "trained_betas": null}`,
	"zero SNR": `{"_class_name": "DDIMScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "num_train_timesteps": 1000,
		"prediction_type": "v_prediction", "rescale_betas_zero_snr": true, "set_alpha_to_one": true, "steps_offset": 1, "timestep_spacing": "trailing"}`,
	"SD 2.1-v": `{"_class_name": "DDIMScheduler", "_diffusers_version": "0.8.0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false,
		"num_train_timesteps": 1000, "prediction_type": "v_prediction", "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null}`,
	"SD-Turbo": `{"_class_name": "EulerDiscreteScheduler", "_diffusers_version": "0.24.0.dev0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085,
		"clip_sample": false, "interpolation_type": "linear", "num_train_timesteps": 1000, "prediction_type": "epsilon", "sample_max_value": 1.0, "set_alpha_to_one": false,
		"sigma_max": null, "sigma_min": null, "skip_prk_steps": true, "steps_offset": 1, "timestep_spacing": "trailing", "timestep_type": "discrete", "trained_betas": null,
		"use_karras_sigmas": false}`,
	"LCM": `{"_class_name": "LCMScheduler", "_diffusers_version": "0.22.0.dev0", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false,
		"clip_sample_range": 1.0, "dynamic_thresholding_ratio": 0.995, "num_train_timesteps": 1000, "original_inference_steps": 50, "prediction_type": "epsilon",
		"rescale_betas_zero_snr": false, "sample_max_value": 1.0, "set_alpha_to_one": true, "steps_offset": 0, "thresholding": false, "timestep_scaling": 10.0,
		"timestep_spacing": "leading", "trained_betas": null}`,
	"Euler": `{"_class_name": "EulerDiscreteScheduler", "_diffusers_version": "0.35.1", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "final_sigmas_type": "zero",
		"interpolation_type": "linear", "num_train_timesteps": 1000, "prediction_type": "epsilon", "rescale_betas_zero_snr": false, "sigma_max": null, "sigma_min": null, "steps_offset": 1,
		"timestep_spacing": "leading", "timestep_type": "discrete", "trained_betas": null, "use_beta_sigmas": false, "use_exponential_sigmas": false, "use_karras_sigmas": false}`,
	"DPM++": `{"_class_name": "DPMSolverMultistepScheduler", "_diffusers_version": "0.35.1", "algorithm_type": "dpmsolver++", "beta_end": 0.012, "beta_schedule": "scaled_linear",
		"beta_start": 0.00085, "dynamic_thresholding_ratio": 0.995, "euler_at_final": false, "final_sigmas_type": "zero", "flow_shift": 1.0, "lambda_min_clipped": -Infinity,
		"lower_order_final": true, "num_train_timesteps": 1000, "prediction_type": "epsilon", "rescale_betas_zero_snr": false, "sample_max_value": 1.0, "solver_order": 2,
		"solver_type": "midpoint", "steps_offset": 1, "thresholding": false, "time_shift_type": "exponential", "timestep_spacing": "linspace", "trained_betas": null,
		"use_beta_sigmas": false, "use_dynamic_shifting": false, "use_exponential_sigmas": false, "use_flow_sigmas": false, "use_karras_sigmas": true, "use_lu_lambdas": false, "variance_type": null}`,
	"DEIS": `{"_class_name": "DEISMultistepScheduler", "_diffusers_version": "0.35.1", "algorithm_type": "deis", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085,
		"dynamic_thresholding_ratio": 0.995, "flow_shift": 1.0, "lower_order_final": true, "num_train_timesteps": 1000, "prediction_type": "epsilon", "sample_max_value": 1.0, "solver_order": 2,
		"solver_type": "logrho", "steps_offset": 1, "thresholding": false, "time_shift_type": "exponential", "timestep_spacing": "leading", "trained_betas": null, "use_beta_sigmas": false,
		"use_dynamic_shifting": false, "use_exponential_sigmas": false, "use_flow_sigmas": false, "use_karras_sigmas": false}`,
	"DDPM": `{"_class_name": "DDPMScheduler", "_diffusers_version": "0.35.1", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "clip_sample_range": 1.0,
		"dynamic_thresholding_ratio": 0.995, "num_train_timesteps": 1000, "prediction_type": "epsilon", "rescale_betas_zero_snr": false, "sample_max_value": 1.0, "steps_offset": 1,
		"thresholding": false, "timestep_spacing": "leading", "trained_betas": null, "variance_type": "fixed_small"}`,
	"PNDM": `{"_class_name": "PNDMScheduler", "_diffusers_version": "0.35.1", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "num_train_timesteps": 1000,
		"prediction_type": "epsilon", "set_alpha_to_one": false, "skip_prk_steps": false, "steps_offset": 0, "timestep_spacing": "leading", "trained_betas": null}`,
	"UniPC": `{"_class_name": "UniPCMultistepScheduler", "beta_end": 0.012, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "disable_corrector": [], "predict_x0": true,
		"num_train_timesteps": 1000, "prediction_type": "epsilon", "solver_order": 2, "solver_p": null, "solver_type": "bh2", "steps_offset": 1, "trained_betas": null}`,
}

// TestPublishedSchedulers names the sampler of published folders, and what it does.
func TestPublishedSchedulers(t *testing.T) {
	const training = "scaled-linear(1000, 0.00085, 0.012)"
	for name, want := range map[string]struct{ method, standsFor, dynamics string }{
		"SD 1.5":   {"plms", "", "PLMS, " + training + ", 4 steps, leading"},
		"SD 2.0":   {"plms", "", "PLMS, " + training + ", 4 steps, leading"},
		"SD 2.1":   {"plms", "", "PLMS, " + training + ", 4 steps, leading"},
		"Euler a":  {"euler-ancestral", "", "Euler ancestral, eta 1, " + training + ", 4 steps, linspace"},
		"Heun":     {"heun", "", "Heun, " + training + ", 4 steps, linspace"},
		"TCD":      {"tcd", "", "TCD, eta 0, " + training + ", 4 steps of 50"},
		"zero SNR": {"ddim", "", "Euler, " + training + ", 4 steps, trailing, zero terminal SNR"},
		"SD 2.1-v": {"ddim", "", "DDIM, " + training + " respaced to 4, ending at alpha-bar 0.99915, eta 0"},
		"SD-Turbo": {"euler", "", "Euler, " + training + ", 4 steps, trailing"},
		"LCM":      {"lcm", "", "LCM, " + training + ", 4 steps of 50"},
		"Euler":    {"euler", "", "Euler, " + training + ", 4 steps, leading"},
		"DPM++":    {"dpm++2m", "", "DPM-Solver++ 2M, " + training + ", 4 steps, linspace, sigmas by karras"},
		"DEIS":     {"dpm++2m", "DEISMultistepScheduler", "DPM-Solver++ 2M, " + training + ", 4 steps, leading"},
		"DDPM":     {"ddpm", "", "DDPM, " + training + " respaced to 4, 1 times posterior noise"},
		"PNDM":     {"plms", "", "PNDM with a Runge-Kutta start, " + training + ", 4 steps, leading"},
		"UniPC":    {"dpm++2m", "UniPCMultistepScheduler", "DPM-Solver++ 2M, " + training + ", 4 steps, linspace"},
	} {
		n, err := ParseNoise([]byte(publishedSchedulers[name]))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if method, standsFor := n.Published(); method != want.method || standsFor != want.standsFor {
			t.Errorf("%s is sampled by %q for %q, want %q for %q", name, method, standsFor, want.method, want.standsFor)
		}
		if kind := map[bool]schedule.Kind{true: schedule.V}[name == "SD 2.1-v" || name == "zero SNR"]; n.Prediction != kind {
			t.Errorf("%s predicts %v, want %v", name, n.Prediction, kind)
		}
		d, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: Published})
		if err != nil || fmt.Sprint(d) != want.dynamics {
			t.Errorf("%s: %v, %v, want %s", name, d, err, want.dynamics)
		}
		for _, method := range Methods() { // every file can be read by every class
			if _, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: method}); err != nil {
				t.Errorf("%s by %s: %v", name, method, err)
			}
		}
	}
}

// withKey is a published file with another value of a key, and, if not empty, of another class.
func withKey(file, class, key, value string) []byte {
	text := strings.Replace(publishedSchedulers[file], "{", fmt.Sprintf("{%q: %s, ", key, value), 1)
	if i := strings.LastIndex(text, fmt.Sprintf("%q:", key)); i > 1 && key != "_class_name" { // the later of two counts
		text = text[:i] + `"_was` + text[i+1:]
	}
	if class != "" {
		text = strings.Replace(text, "PNDMScheduler", class, 1)
	}
	return []byte(text)
}

// TestNothingIsPassedOver changes a key of a published file at a time: each is an error that
// names it. What a model was trained on is refused when it is read; what its own sampler does, by that
// sampler alone.
func TestNothingIsPassedOver(t *testing.T) {
	const trained = "" // instead of a sampler that does without
	for _, c := range []struct{ file, class, key, value, without string }{
		{"Euler", "", "some_future_key", "7", trained}, {"Euler", "", "prediction_type", `"flow_prediction"`, trained}, {"Euler", "", "num_train_timesteps", "0", trained},
		{"Euler", "", "beta_schedule", `"sigmoid"`, trained}, {"Euler", "", "trained_betas", "[0.1]", trained}, {"DPM++", "", "use_flow_sigmas", "true", trained},
		{"SD 2.0", "FlowMatchEulerDiscreteScheduler", "_class_name", `"FlowMatchEulerDiscreteScheduler"`, trained},
		{"Euler", "", "interpolation_type", `"log_linear"`, "ddim"}, {"Euler", "", "timestep_type", `"continuous"`, "ddim"}, {"Euler", "", "final_sigmas_type", `"one"`, "ddim"},
		{"DPM++", "", "algorithm_type", `"dpmsolver"`, "ddim"}, {"DPM++", "", "solver_order", "4", "ddim"}, {"DPM++", "", "use_lu_lambdas", "true", "ddim"},
		{"DPM++", "", "lambda_min_clipped", "-5.1", "ddim"}, {"DPM++", "", "variance_type", `"learned_range"`, "ddim"}, {"DPM++", "", "use_exponential_sigmas", "true", "ddim"},
		{"DPM++", "", "use_dynamic_shifting", "true", "ddim"}, {"DPM++", "", "solver_type", `"bh3"`, "ddim"}, {"SD 2.0", "DDPMScheduler", "variance_type", `"learned"`, "ddim"},
		{"LCM", "", "thresholding", "true", "euler"}, {"LCM", "", "original_inference_steps", "0", "euler"},
	} {
		n, err := ParseNoise(withKey(c.file, c.class, c.key, c.value))
		if (err != nil) != (c.without == trained) {
			t.Errorf("%s with %s = %s is read with %v", c.file, c.key, c.value, err)
			continue
		}
		if err == nil {
			_, err = (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: Published})
		}
		var refused *SettingError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.key) {
			t.Errorf("%s with %s = %s: %v, want an error that names it", c.file, c.key, c.value, err)
		}
		if c.without == trained {
			continue
		}
		same := must(ParseNoise([]byte(publishedSchedulers[c.file])))(t)
		want := must((&Model{Noise: same}).Dynamics(Sampler{Steps: 4, Method: c.without}))(t)
		if d, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 4, Method: c.without}); err != nil || fmt.Sprint(d) != fmt.Sprint(want) {
			t.Errorf("%s with %s = %s by %s: %v, %v, want %v", c.file, c.key, c.value, c.without, d, err, want)
		}
	}
}

// TestOverridden leaves settings of a file that a sampler replaces unread.
func TestOverridden(t *testing.T) {
	for _, c := range []struct {
		file, key, value string
		s                Sampler
	}{
		{"Euler", "timestep_spacing", `"sqrt"`, Sampler{Steps: 4, Method: Published, Spacing: "trailing"}},
		{"DPM++", "use_exponential_sigmas", "true", Sampler{Steps: 4, Method: Published, Sigmas: "karras"}}, // beside those of Karras
	} {
		m := &Model{Noise: must(ParseNoise(withKey(c.file, "", c.key, c.value)))(t)}
		if _, err := m.Dynamics(c.s); err != nil {
			t.Errorf("%s = %s with %+v: %v", c.key, c.value, c.s, err)
		}
		var refused *SettingError
		if _, err := m.Dynamics(Sampler{Steps: 4, Method: Published}); !errors.As(err, &refused) {
			t.Errorf("%s = %s: %v, want a *SettingError", c.key, c.value, err)
		}
	}
	m := &Model{Noise: must(ParseNoise(withKey("Euler", "", "steps_offset", "1000")))(t)}
	for _, method := range Methods() {
		if _, err := m.Dynamics(Sampler{Steps: 4, Method: method}); err == nil || !strings.Contains(err.Error(), "steps_offset") {
			t.Errorf("an offset of all timesteps by %s: %v, want an error that names it", method, err)
		}
	}
	m = &Model{Noise: must(ParseNoise(withKey("Euler", "", "timestep_spacing", `"sqrt"`)))(t)}
	if _, err := m.Noise.Visit(4); err == nil {
		t.Error("timesteps are visited by a spacing that is not known")
	}
}

// TestRungeKuttaStart wants as many steps as the start of a file's PNDM takes.
func TestRungeKuttaStart(t *testing.T) {
	m := &Model{Noise: must(ParseNoise([]byte(publishedSchedulers["PNDM"])))(t)}
	var refused *SettingError
	if _, err := m.Dynamics(Sampler{Steps: 3, Method: "plms"}); !errors.As(err, &refused) || !strings.Contains(err.Error(), "skip_prk_steps") {
		t.Errorf("3 steps: %v, want a *SettingError that names skip_prk_steps", err)
	}
	if d := must(m.Dynamics(Sampler{Steps: 4, Method: "plms"}))(t); d.Steps() != 13 {
		t.Errorf("4 steps ask %d times, want 12 of the start and one", d.Steps())
	}
}

// TestMissingClip wants the default of a class where the file does not say whether estimates
// are clipped: DDIM clips, others do not.
func TestMissingClip(t *testing.T) {
	for class, want := range map[string]string{"DDIMScheduler": "estimate clipped to 1", "PNDMScheduler": "eta 0"} {
		n, err := ParseNoise([]byte(fmt.Sprintf(`{"_class_name": %q}`, class)))
		if err != nil {
			t.Fatal(err)
		}
		d, err := (&Model{Noise: n}).Dynamics(Sampler{Steps: 3, Method: "ddim"})
		if text := fmt.Sprint(d); err != nil || !strings.HasSuffix(text, want) {
			t.Errorf("%s: %s, %v, want one that ends in %q", class, text, err, want)
		}
	}
}

// TestOffsetsAndSpacings visits timesteps whose offset is the stride or more, and those of
// other spacings.
func TestOffsetsAndSpacings(t *testing.T) {
	n, err := ParseNoise([]byte(strings.Replace(publishedSchedulers["SD 2.0"], `"steps_offset": 1`, `"steps_offset": 60`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Noise: n}
	for _, s := range []Sampler{{Steps: 20, Method: "ddim"}, {Steps: 1000, Method: "ddpm"}, {Steps: 5, Method: "ddim", Spacing: "trailing"}, {Steps: 5, Method: "ddpm", Spacing: "linspace"}} {
		if _, err := m.Dynamics(s); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []Sampler{{Steps: 5, Method: "magic"}, {Steps: 5, Spacing: "sqrt"}, {Steps: 5, Sigmas: "karras"}, {Steps: 5, Method: "euler", Sigmas: "cubic"},
		{Steps: 5, Method: "euler", NoiseScale: 2}, {Steps: 51, Method: "lcm"}, {Steps: 4, Method: "lcm", Spacing: "trailing"}, {Steps: 4, Method: "tcd", Spacing: "leading"}, {Steps: 5, Method: "tcd", Eta: 2}} {
		var refused *SettingError
		if _, err := m.Dynamics(s); !errors.As(err, &refused) {
			t.Errorf("%+v: %v, want a *SettingError", s, err)
		}
	}
}
