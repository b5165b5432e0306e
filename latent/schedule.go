package latent

import (
	"encoding/json"
	"fmt"

	"github.com/go-pcd/pcd/schedule"
)

// scheduleConfig is the scheduler_config.json of a model, as far as it decides about
// the noise that the model was trained on and the timesteps that it is sampled at. The
// name of a class is not read: the file of Stable Diffusion names one scheduler and is
// used with others.
type scheduleConfig struct {
	Steps        int       `json:"num_train_timesteps"`
	Start        float64   `json:"beta_start"`
	End          float64   `json:"beta_end"`
	Rule         string    `json:"beta_schedule"`
	Betas        []float64 `json:"trained_betas"`
	Prediction   string    `json:"prediction_type"`
	ClipSample   bool      `json:"clip_sample"`
	Offset       int       `json:"steps_offset"`
	AlphaToOne   *bool     `json:"set_alpha_to_one"`
	Spacing      string    `json:"timestep_spacing"`
	Thresholding bool      `json:"thresholding"`
	ZeroSNR      bool      `json:"rescale_betas_zero_snr"`
}

// Noise is what a model was trained on.
type Noise struct {
	Schedule   *schedule.Schedule
	Prediction schedule.Kind
	Offset     int     // of the timesteps visited: k·stride + Offset
	Final      float64 // ᾱ after the last step of DDIM: 1, or that of timestep 0
}

// maxTrainingSteps bounds what a file may ask for.
const maxTrainingSteps = 100_000

// ParseNoise reads a scheduler_config.json. It returns a [SettingError] for what is out
// of range, and for rules that would change samples if they were passed over.
func ParseNoise(raw []byte) (Noise, error) {
	c := scheduleConfig{Steps: 1000, Start: 0.0001, End: 0.02, Rule: "linear", Prediction: "epsilon", Spacing: "leading"}
	if err := json.Unmarshal(raw, &c); err != nil {
		return Noise{}, fmt.Errorf("latent: scheduler: %w", err)
	}
	if err := c.check(); err != nil {
		return Noise{}, err
	}
	n := Noise{Offset: c.Offset, Final: 1, Prediction: schedule.Epsilon}
	if c.Prediction == "v_prediction" {
		n.Prediction = schedule.V
	}
	var err error
	if c.Rule == "scaled_linear" {
		n.Schedule, err = schedule.ScaledLinear(c.Steps, c.Start, c.End)
	} else {
		n.Schedule, err = schedule.Linear(c.Steps, c.Start, c.End)
	}
	if err != nil {
		return n, err
	}
	if c.AlphaToOne != nil && !*c.AlphaToOne {
		n.Final = n.Schedule.At(0).AlphaBar
	}
	return n, nil
}

func (c scheduleConfig) check() error {
	for _, s := range []struct {
		bad        bool
		name, want string
		value      any
	}{
		{c.Steps < 1 || c.Steps > maxTrainingSteps, "num_train_timesteps", fmt.Sprintf("1 to %d", maxTrainingSteps), c.Steps},
		{c.Rule != "linear" && c.Rule != "scaled_linear", "beta_schedule", "linear or scaled_linear", c.Rule},
		{len(c.Betas) > 0, "trained_betas", "none", len(c.Betas)},
		{c.Prediction != "epsilon" && c.Prediction != "v_prediction", "prediction_type", "epsilon or v_prediction", c.Prediction},
		{c.Offset < 0 || c.Offset >= c.Steps, "steps_offset", "a number from 0 below num_train_timesteps", c.Offset},
		{c.Spacing != "leading", "timestep_spacing", "leading", c.Spacing},
		{c.ClipSample, "clip_sample", "false: latents have no range", c.ClipSample},
		{c.Thresholding, "thresholding", "false: latents have no range", c.Thresholding},
		{c.ZeroSNR, "rescale_betas_zero_snr", "false", c.ZeroSNR},
	} {
		if s.bad {
			return &SettingError{Where: "scheduler", Name: s.name, Value: s.value, Want: s.want}
		}
	}
	return nil
}

// Visit returns the schedule of a number of steps over the training's timesteps.
func (n Noise) Visit(steps int) (*schedule.Schedule, error) {
	ts, err := schedule.LeadingTimesteps(n.Schedule.Len(), steps, n.Offset, true)
	if err != nil {
		return nil, &SettingError{Name: "steps", Value: steps, Want: fmt.Sprintf("1 to %d", n.Schedule.Len())}
	}
	return n.Schedule.Respace(ts)
}
