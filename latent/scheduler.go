package latent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/pyjson"
	"github.com/go-pcd/pcd/schedule"
)

// scheduler is a scheduler_config.json as it was written. Which of its keys count, and what
// absent ones mean, is for the class that reads it to say: see [scheduler.as].
type scheduler struct {
	class string // that the file names, or empty
	keys  map[string]json.RawMessage
}

// schedulerSettings is what a class makes of a file.
type schedulerSettings struct {
	Steps       int       `json:"num_train_timesteps"`
	Start       float64   `json:"beta_start"`
	End         float64   `json:"beta_end"`
	Rule        string    `json:"beta_schedule"`
	Betas       []float64 `json:"trained_betas"`
	Prediction  string    `json:"prediction_type"`
	Spacing     string    `json:"timestep_spacing"`
	Offset      int       `json:"steps_offset"`
	AlphaToOne  bool      `json:"set_alpha_to_one"`
	Clip        bool      `json:"clip_sample"`
	ClipRange   float64   `json:"clip_sample_range"`
	Threshold   bool      `json:"thresholding"`
	ZeroSNR     bool      `json:"rescale_betas_zero_snr"`
	Variance    string    `json:"variance_type"`
	SkipPRK     bool      `json:"skip_prk_steps"`
	Karras      bool      `json:"use_karras_sigmas"`
	Exponential bool      `json:"use_exponential_sigmas"`
	Beta        bool      `json:"use_beta_sigmas"`
	Lu          bool      `json:"use_lu_lambdas"`
	FlowSigmas  bool      `json:"use_flow_sigmas"`
	SigmaMin    float64   `json:"sigma_min"`
	SigmaMax    float64   `json:"sigma_max"`
	Final       string    `json:"final_sigmas_type"`
	Interpolate string    `json:"interpolation_type"`
	Times       string    `json:"timestep_type"`
	Order       int       `json:"solver_order"`
	Algorithm   string    `json:"algorithm_type"`
	Solver      string    `json:"solver_type"`
	LowerFinal  bool      `json:"lower_order_final"`
	EulerFinal  bool      `json:"euler_at_final"`
	LambdaMin   string    `json:"lambda_min_clipped"` // a number, or the text of one that JSON has not
	Original    int       `json:"original_inference_steps"`
	TimeScale   float64   `json:"timestep_scaling"`
	Shifting    bool      `json:"use_dynamic_shifting"`
}

// Keys by what they are about.
var (
	trainingKeys  = []string{"num_train_timesteps", "beta_start", "beta_end", "beta_schedule", "trained_betas", "prediction_type"}
	spacingKeys   = []string{"timestep_spacing", "steps_offset"}
	clippingKeys  = []string{"clip_sample", "clip_sample_range", "thresholding", "dynamic_thresholding_ratio", "sample_max_value"}
	sigmaKeys     = []string{"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas"}
	zeroKeys      = []string{"rescale_betas_zero_snr"}
	flowKeys      = []string{"use_flow_sigmas"}
	distilledKeys = []string{"original_inference_steps", "timestep_scaling", "set_alpha_to_one"}
	// otherKeys are of classes that a relative stands for, of old releases, whose arrays were NumPy's or
	// PyTorch's, and of what nothing but predict_epsilon is read of.
	otherKeys = []string{"predict_x0", "disable_corrector", "solver_p", "noise_sampler_seed", "tensor_format", epsilonKey}
)

// spacings are the words for how timesteps are spaced.
var spacings = []string{"leading", "linspace", "trailing"}

// epsilonKey is the word of old releases for what the network predicts: noise, or where it is false the clean sample.
const epsilonKey = "predict_epsilon"

// schedulerClass is a class of scheduler: the keys that it reads, and its defaults beside
// those that all have.
type schedulerClass struct {
	keys     [][]string
	defaults func(*schedulerSettings)
}

// reads reports whether a class reads a key.
func (c schedulerClass) reads(key string) bool {
	return slices.ContainsFunc(c.keys, func(some []string) bool { return slices.Contains(some, key) })
}

// schedulerClasses are those that folders are sampled as. Source: the library diffusers.
var schedulerClasses = map[string]schedulerClass{
	"DDIMScheduler": {[][]string{trainingKeys, spacingKeys, clippingKeys, zeroKeys, {"set_alpha_to_one"}},
		func(s *schedulerSettings) { s.Clip, s.AlphaToOne = true, true }},
	"DDPMScheduler": {[][]string{trainingKeys, spacingKeys, clippingKeys, zeroKeys, {"variance_type"}},
		func(s *schedulerSettings) { s.Clip, s.AlphaToOne = true, true }},
	"PNDMScheduler": {[][]string{trainingKeys, spacingKeys, {"skip_prk_steps", "set_alpha_to_one"}}, func(*schedulerSettings) {}},
	"EulerDiscreteScheduler": {[][]string{trainingKeys, spacingKeys, sigmaKeys, zeroKeys, {"interpolation_type", "sigma_min", "sigma_max", "timestep_type", "final_sigmas_type"}},
		func(s *schedulerSettings) { s.Spacing = "linspace" }},
	"EulerAncestralDiscreteScheduler": {[][]string{trainingKeys, spacingKeys, zeroKeys}, func(s *schedulerSettings) { s.Spacing = "linspace" }},
	"HeunDiscreteScheduler": {[][]string{trainingKeys, spacingKeys, sigmaKeys, {"clip_sample", "clip_sample_range"}},
		func(s *schedulerSettings) { s.Spacing, s.Start, s.End = "linspace", 0.00085, 0.012 }},
	"DPMSolverMultistepScheduler": {[][]string{trainingKeys, spacingKeys, sigmaKeys, zeroKeys, {"solver_order", "thresholding", "dynamic_thresholding_ratio", "sample_max_value", "algorithm_type",
		"solver_type", "lower_order_final", "euler_at_final", "use_lu_lambdas", "flow_shift", "final_sigmas_type", "lambda_min_clipped", "variance_type", "use_dynamic_shifting", "time_shift_type"}, flowKeys},
		func(s *schedulerSettings) { s.Spacing = "linspace" }},
	"LCMScheduler": {[][]string{trainingKeys, spacingKeys, clippingKeys, zeroKeys, distilledKeys}, likeDistilled},
	"TCDScheduler": {[][]string{trainingKeys, spacingKeys, clippingKeys, zeroKeys, distilledKeys}, likeDistilled},
}

func likeDistilled(s *schedulerSettings) {
	s.Rule, s.Start, s.End, s.AlphaToOne = "scaled_linear", 0.00085, 0.012, true
}

// readScheduler reads a file of a class, unless it names another one. It returns a [SettingError] for a class that is
// not known, and for keys that no class has.
func readScheduler(raw []byte, class string) (scheduler, error) {
	s := scheduler{class: class}
	if err := json.Unmarshal(pyjson.Standard(raw), &s.keys); err != nil {
		return s, fmt.Errorf("latent: scheduler: %w", err)
	}
	if s.keys == nil {
		return s, errors.New("latent: scheduler: the file is null, want a JSON object")
	}
	if text, ok := s.keys["_class_name"]; ok {
		if err := json.Unmarshal(text, &s.class); err != nil {
			return s, fmt.Errorf("latent: scheduler: _class_name: %w", err)
		}
	}
	if _, run := schedulerClasses[s.class]; !run && s.class != "" && equivalents[s.class] == "" {
		return s, &SettingError{Where: "scheduler", Name: "_class_name", Value: s.class,
			Want: "one of " + strings.Join(slices.Concat(slices.Sorted(maps.Keys(schedulerClasses)), slices.Sorted(maps.Keys(equivalents))), ", ")}
	}
	return s, s.checkKeys()
}

// checkKeys refuses keys that no class has, unless they say nothing.
func (s scheduler) checkKeys() error {
	known := map[string]bool{}
	for _, name := range otherKeys {
		known[name] = true
	}
	for _, c := range schedulerClasses {
		for _, name := range slices.Concat(c.keys...) {
			known[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.keys)) {
		says := !slices.Contains([]string{"null", "false", "0", "0.0", `""`, "[]", "{}"}, string(s.keys[name]))
		if !known[name] && says && !strings.HasPrefix(name, "_") {
			return &SettingError{Where: "scheduler", Name: name, Value: string(s.keys[name]), Want: "no such key: no scheduler that is known here has it"}
		}
	}
	return nil
}

// switches are on in some classes where the file does not have them; without a value they are off. What is wanted has no
// meaning without a value.
var (
	switches = []string{"clip_sample", "set_alpha_to_one", "lower_order_final"}
	wanted   = []string{"num_train_timesteps", "beta_start", "beta_end", "beta_schedule", "prediction_type", "timestep_spacing", "steps_offset", "solver_order", "algorithm_type", "solver_type", "final_sigmas_type"}
)

// training reads what the file says that the model was trained on, with the defaults of a class.
// It returns an error for what would be another training; how the file is sampled it does not look at.
func (s scheduler) training(class string) (schedulerSettings, error) {
	c, err := s.read(class, slices.Concat(trainingKeys, zeroKeys, flowKeys, []string{"steps_offset"}))
	if err != nil {
		return c, err
	}
	if err := s.predictsEpsilon(&c); err != nil {
		return c, err
	}
	switch s.class {
	case "DPMSolverSDEScheduler", "KDPM2AncestralDiscreteScheduler": // which have other betas than their relatives
		if s.keys["beta_start"] == nil && s.keys["beta_end"] == nil {
			c.Start, c.End = 0.00085, 0.012
		}
	case "IPNDMScheduler":
		if s.keys["beta_schedule"] == nil && len(c.Betas) == 0 {
			return c, &SettingError{Where: "scheduler", Name: "_class_name", Value: s.class, Want: "one whose file says the noise of the training: that of this class is none of betas"}
		}
	}
	return c, c.checkTraining()
}

// predictsEpsilon reads the old word for what the network predicts, which must not deny the new one.
func (s scheduler) predictsEpsilon(c *schedulerSettings) error {
	if string(s.keys[epsilonKey]) != "false" {
		return nil
	}
	if said, ok := s.keys["prediction_type"]; ok && string(said) == `"epsilon"` {
		return &SettingError{Where: "scheduler", Name: epsilonKey, Value: false, Want: "true, as prediction_type is epsilon, or another prediction_type"}
	}
	if s.keys["prediction_type"] == nil {
		c.Prediction = "sample"
	}
	return nil
}

// as reads the file as a class does: with its keys and its defaults. Nothing of it is checked.
func (s scheduler) as(class string) (schedulerSettings, error) {
	keys := slices.Concat(schedulerClasses[class].keys...)
	if class == methods["dpm++2m"] {
		if v := string(s.keys["variance_type"]); strings.HasPrefix(v, `"learned`) {
			return schedulerSettings{}, &SettingError{Where: "scheduler", Name: "variance_type", Value: strings.Trim(v, `"`), Want: "null: networks that predict variances are not sampled here"}
		}
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == "variance_type" }) // of the noise of other classes
	}
	out, err := s.read(class, keys)
	if err != nil {
		return out, err
	}
	if out.Algorithm == "deis" { // of a file of DEIS; the class takes it for its own
		out.Algorithm = "dpmsolver++"
	}
	return out, nil
}

// read gives keys of the file to a class, whose defaults stand for those that the file has not. Where the class of the
// file cannot clip estimates and the file does not say, they are not clipped, because
// latents have no range.
func (s scheduler) read(class string, keys []string) (schedulerSettings, error) {
	out := schedulerSettings{Steps: 1000, Start: 0.0001, End: 0.02, Rule: "linear", Prediction: "epsilon", Spacing: "leading", ClipRange: 1,
		Variance: "fixed_small", Final: "zero", Interpolate: "linear", Times: "discrete", Order: 2, Algorithm: "dpmsolver++", Solver: "midpoint",
		LowerFinal: true, LambdaMin: "-Infinity", Original: 50, TimeScale: 10}
	schedulerClasses[class].defaults(&out)
	if !schedulerClasses[s.class].reads("clip_sample") {
		out.Clip = false
	}
	read := map[string]json.RawMessage{}
	for _, name := range keys {
		v, ok := s.keys[name]
		if ok && string(v) == "null" && slices.Contains(switches, name) {
			v = json.RawMessage("false")
		}
		if ok && string(v) == "null" && slices.Contains(wanted, name) {
			return out, &SettingError{Where: "scheduler", Name: name, Value: "null", Want: "a value, or no such key"}
		}
		if ok {
			read[name] = v
		}
	}
	if v := read["lambda_min_clipped"]; len(v) > 0 && v[0] != '"' && string(v) != "null" {
		read["lambda_min_clipped"], _ = json.Marshal(string(v))
	}
	text, err := json.Marshal(read)
	if err != nil {
		return out, err
	}
	return out, s.mistyped(json.Unmarshal(text, &out))
}

// mistyped returns a [SettingError] for a value of another type than its key has.
func (s scheduler) mistyped(err error) error {
	var typed *json.UnmarshalTypeError
	if !errors.As(err, &typed) {
		return err
	}
	name, _, _ := strings.Cut(typed.Field, ".")
	var value any
	asWritten := json.NewDecoder(bytes.NewReader(s.keys[name]))
	asWritten.UseNumber() // 1000.0 is no whole number of JSON, and is not said to be 1000
	if err := asWritten.Decode(&value); err != nil {
		return err
	}
	kind := typed.Type.Kind()
	if _, list := value.([]any); list && typed.Value != "array" { // an element is mistyped
		kind = reflect.Slice
	}
	want := map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Slice: "a list of numbers"}
	return &SettingError{Where: "scheduler", Name: name, Value: value, Want: cmp.Or(want[kind], "a word")}
}

// checkTraining returns an error for a training that is not known here.
func (c *schedulerSettings) checkTraining() error {
	return firstRefused(
		refused{c.Steps < 1 || c.Steps > maxTrainingSteps, "num_train_timesteps", fmt.Sprintf("1 to %d", maxTrainingSteps), c.Steps},
		refused{len(c.Betas) > 0 && len(c.Betas) != c.Steps, "trained_betas", fmt.Sprintf("one for each of the %d timesteps", c.Steps), len(c.Betas)},
		refused{c.FlowSigmas, "use_flow_sigmas", "false", c.FlowSigmas},
		noneOf("beta_schedule", c.Rule, "linear", "scaled_linear", "squaredcos_cap_v2"),
		noneOf("prediction_type", c.Prediction, "epsilon", "v_prediction", "sample"),
	)
}

// check returns an error for what would be sampled otherwise than it says.
func (c *schedulerSettings) check() error {
	if err := c.checkTraining(); err != nil {
		return err
	}
	return firstRefused(
		refused{c.Offset < 0 || c.Offset >= c.Steps, "steps_offset", "a number from 0 below num_train_timesteps", c.Offset},
		refused{c.Threshold, "thresholding", "false: latents have no range", c.Threshold},
		refused{c.Clip && !(c.ClipRange > 0 && c.ClipRange < 1e9), "clip_sample_range", "a positive number", c.ClipRange},
		refused{c.Lu, "use_lu_lambdas", "false", c.Lu},
		refused{c.Shifting, "use_dynamic_shifting", "false", c.Shifting},
		refused{c.Order < 1 || c.Order > 3, "solver_order", "1 to 3", c.Order},
		refused{c.Order > 2 && c.Algorithm == "sde-dpmsolver++", "solver_order", "1 or 2 beside algorithm_type sde-dpmsolver++", c.Order},
		refused{c.Original < 1, "original_inference_steps", "1 or more", c.Original},
		refused{boolsOf(c.Karras, c.Exponential, c.Beta) > 1, "use_karras_sigmas", "one of use_karras_sigmas, use_exponential_sigmas and use_beta_sigmas", "one of several"},
		noneOf("timestep_spacing", c.Spacing, spacings...),
		noneOf("variance_type", c.Variance, "fixed_small", "fixed_small_log", largeNoise), // the logarithm is taken back
		refused{c.ZeroSNR && c.Variance == largeNoise, "variance_type", "fixed_small beside rescale_betas_zero_snr: the first step would add as much noise as it begins with", c.Variance},
		noneOf("interpolation_type", c.Interpolate, "linear"),
		noneOf("timestep_type", c.Times, "discrete"),
		noneOf("final_sigmas_type", c.Final, "zero", "sigma_min"),
		noneOf("algorithm_type", c.Algorithm, "dpmsolver++", "sde-dpmsolver++"),
		noneOf("solver_type", c.Solver, "midpoint", "heun", "logrho", "bh1", "bh2"), // the last three are read as midpoint
		noneOf("lambda_min_clipped", c.LambdaMin, "-Infinity"),
	)
}

// refused is a setting that is not taken where it is bad.
type refused struct {
	bad        bool
	name, want string
	value      any
}

// noneOf refuses a word that is none of those allowed.
func noneOf(name, got string, allowed ...string) refused {
	return refused{!slices.Contains(allowed, got), name, strings.Join(allowed, " or "), got}
}

// firstRefused returns a [SettingError] for the first of some settings that is bad.
func firstRefused(all ...refused) error {
	for _, r := range all {
		if r.bad {
			return &SettingError{Where: "scheduler", Name: r.name, Value: r.value, Want: r.want}
		}
	}
	return nil
}

func boolsOf(v ...bool) (n int) {
	for _, b := range v {
		if b {
			n++
		}
	}
	return n
}

// noise returns the schedule of the training and what the network predicts.
func (c *schedulerSettings) noise() (*schedule.Schedule, schedule.Kind, error) {
	kind := map[string]schedule.Kind{"epsilon": schedule.Epsilon, "v_prediction": schedule.V, "sample": schedule.X0}[c.Prediction]
	var s *schedule.Schedule
	var err error
	switch {
	case len(c.Betas) > 0:
		s, err = schedule.FromBetas(fmt.Sprintf("trained(%d)", len(c.Betas)), c.Betas)
	case c.Rule == "scaled_linear":
		s, err = schedule.ScaledLinear(c.Steps, c.Start, c.End)
	case c.Rule == "linear":
		s, err = schedule.Linear(c.Steps, c.Start, c.End)
	default:
		s, err = schedule.SquaredCosine(c.Steps)
	}
	return s, kind, err
}
