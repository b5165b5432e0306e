package policy

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
)

// Vintage is a layout of folders.
type Vintage string

// The layouts: of 2024, with statistics in the weights; of 2025, with features that have
// types; since 0.4, with processors beside the weights.
const (
	vintageA Vintage = "A"
	vintageB Vintage = "B"
	VintageC Vintage = "C"
)

// Config is what a folder says about its policy.
type Config struct {
	Vintage          Vintage              `json:"vintage"`
	Inputs           []Feature            `json:"inputs"` // in the order of the file
	Action           Feature              `json:"action"`
	Modes            map[FeatureType]Mode `json:"modes"`
	ObservationSteps int                  `json:"n_obs_steps"`
	Horizon          int                  `json:"horizon"`
	ActionSteps      int                  `json:"n_action_steps"`
	Backbone         string               `json:"vision_backbone,omitempty"`
	Resize           [2]int               `json:"resize_shape"` // 0, 0 for none
	Crop             [2]int               `json:"crop_shape"`   // 0, 0 for none
	GroupNorm        bool                 `json:"use_group_norm"`
	Keypoints        int                  `json:"spatial_softmax_num_keypoints"`
	SeparateEncoders bool                 `json:"use_separate_rgb_encoder_per_camera"`
	DownDims         []int                `json:"down_dims"`
	Kernel           int                  `json:"kernel_size"`
	Groups           int                  `json:"n_groups"`
	TimeDim          int                  `json:"diffusion_step_embed_dim"`
	ShiftOnly        bool                 `json:"shift_only"`
	Diffusion        Diffusion            `json:"diffusion"`

	keyModes  map[string]Mode // of vintage A, by feature
	cropRatio float64         // of a crop after a resize, from which it was derived
}

// Diffusion is the chain that a policy was trained with.
type Diffusion struct {
	Scheduler string  `json:"noise_scheduler_type"` // DDPM or DDIM
	Steps     int     `json:"num_train_timesteps"`
	Beta      string  `json:"beta_schedule"`
	BetaStart float64 `json:"beta_start"`
	BetaEnd   float64 `json:"beta_end"`
	Sample    bool    `json:"predicts_sample"` // not the noise
	Clip      float64 `json:"clip_sample_range"`
	Inference int     `json:"num_inference_steps"`
}

// configFile is the name of the configuration in a folder.
const configFile = "config.json"

// parseConfig reads a configuration. processors says whether there are processors beside it.
func parseConfig(raw []byte, processors bool) (*Config, error) {
	d := parseDocument(configFile, raw)
	if d.err != nil {
		return nil, d.err
	}
	d.filled("n_obs_steps", "horizon", "n_action_steps", "normalization_mapping", "noise_scheduler_type", "num_train_timesteps", "beta_schedule", "beta_start", "beta_end",
		"prediction_type", "clip_sample", "clip_sample_range", "vision_backbone", "use_group_norm", "spatial_softmax_num_keypoints", "use_separate_rgb_encoder_per_camera",
		"down_dims", "kernel_size", "n_groups", "diffusion_step_embed_dim", "use_film_scale_modulation")
	c := &Config{}
	if d.has("input_shapes") {
		c.Vintage = vintageA
		c.readShapes(d)
	} else {
		c.readTyped(d, processors)
	}
	c.readChain(d)
	c.readVision(d)
	c.readUNet(d)
	if d.flag("use_peft", false) {
		d.fail("use_peft", "true", "false: adapters beside the weights are not supported; merge them into the weights first")
	}
	d.ignore("device", "use_amp", "push_to_hub", "repo_id", "private", "tags", "license", "pretrained_path", "pretrained_revision",
		"pretrained_backbone_weights", "crop_is_random", "drop_n_last_frames", "do_mask_loss_for_padding", "gradient_checkpointing",
		"compile_model", "compile_mode", "optimizer_*", "scheduler_*")
	if err := d.end(); err != nil {
		return nil, err
	}
	return c, c.check()
}

// readTyped reads the features of vintages B and C.
func (c *Config) readTyped(d *document, processors bool) {
	c.Vintage = vintageB
	if processors {
		c.Vintage = VintageC
	}
	if !d.has("type") {
		d.fail("type", "missing", `"diffusion", or input_shapes as in folders of 2024`)
	}
	d.word("type", "diffusion", "diffusion")
	c.Inputs = d.features("input_features", typedFeature)
	c.setAction(d, d.features("output_features", typedFeature))
	names := map[string]string{"VISUAL": "MEAN_STD", "STATE": "MIN_MAX", "ACTION": "MIN_MAX"}
	if d.has("normalization_mapping") {
		names = nil
	}
	d.take("normalization_mapping", &names, "an object of modes by type")
	c.Modes = map[FeatureType]Mode{}
	for t, name := range names {
		mode, err := parseMode(name)
		if err != nil {
			d.fail("normalization_mapping."+t, name, err.Error())
		}
		c.Modes[FeatureType(t)] = mode
	}
}

// readShapes reads the features of vintage A.
func (c *Config) readShapes(d *document) {
	c.Inputs = d.features("input_shapes", shapedFeature)
	c.setAction(d, d.features("output_shapes", shapedFeature))
	c.keyModes = map[string]Mode{}
	for _, key := range []string{"input_normalization_modes", "output_normalization_modes"} {
		var names map[string]string
		if !d.take(key, &names, "an object of modes by feature") {
			d.fail(key, "missing", "an object of modes by feature")
		}
		for feature, name := range names {
			switch name {
			case "mean_std":
				c.keyModes[feature] = MeanStd
			case "min_max":
				c.keyModes[feature] = MinMax
			default:
				d.fail(key+"."+feature, name, "mean_std or min_max")
			}
		}
	}
	for _, f := range append(c.Inputs, c.Action) {
		if _, ok := c.keyModes[f.Key]; !ok {
			d.fail("normalization mode of "+f.Key, "missing", "mean_std or min_max")
		}
	}
}

func (d *document) features(key string, decode func(string, []byte) (Feature, error)) []Feature {
	var raw json.RawMessage
	if !d.take(key, &raw, "an object of features") {
		d.fail(key, "missing", "an object of features")
		return nil
	}
	features, err := decodeFeatures(raw, decode)
	if err != nil {
		d.fail(key, err.Error(), "features with names of their own, a type and a shape")
	}
	return features
}

func (c *Config) setAction(d *document, outputs []Feature) {
	for _, f := range outputs {
		if f.Key == actionKey && f.Type == Action {
			c.Action = f
			return
		}
	}
	d.fail("output features", fmt.Sprintf("%d without an action", len(outputs)), "a feature action of type ACTION")
}

// readChain reads the steps of observation, of actions and of diffusion.
func (c *Config) readChain(d *document) {
	c.ObservationSteps = d.number("n_obs_steps", 2, maxSteps)
	c.Horizon = d.number("horizon", c.since(d, "horizon", 16), maxSteps)
	c.ActionSteps = d.number("n_action_steps", c.since(d, "n_action_steps", 8), maxSteps)
	f := &c.Diffusion
	f.Scheduler = d.word("noise_scheduler_type", "DDPM", "DDPM", "DDIM")
	f.Steps = d.number("num_train_timesteps", 100, maxTraining)
	f.Beta = d.word("beta_schedule", "squaredcos_cap_v2", "squaredcos_cap_v2", "linear", "scaled_linear", "sigmoid")
	f.BetaStart, f.BetaEnd = d.real("beta_start", 1e-4), d.real("beta_end", 0.02)
	f.Sample = d.word("prediction_type", "epsilon", "epsilon", "sample") == "sample"
	clip, limit := d.flag("clip_sample", true), d.real("clip_sample_range", 1)
	if clip {
		f.Clip = limit
	}
	if clip && !(limit > 0 && limit <= math.MaxFloat32) {
		d.fail("clip_sample_range", fmt.Sprint(limit), "a positive number")
	}
	f.Inference = d.number("num_inference_steps", f.Steps, f.Steps)
}

// since returns the default of a key that has had another one since 0.4.4 or 0.6; without the
// key a folder of vintage C does not tell which is meant.
func (c *Config) since(d *document, key string, before int) int {
	if _, ok := d.keys[key]; !ok && c.Vintage == VintageC {
		d.fail(key, "missing", "a value: releases of the library have different defaults")
	}
	return before
}

// readVision reads what is about cameras.
func (c *Config) readVision(d *document) {
	cameras := len(c.Cameras()) > 0
	if cameras {
		for _, key := range []string{"crop_shape", "use_group_norm", "use_separate_rgb_encoder_per_camera"} {
			c.since(d, key, 0)
		}
	}
	c.Backbone = d.word("vision_backbone", "resnet18")
	c.Crop, c.Resize = d.sides("crop_shape", [2]int{84, 84}), d.sides("resize_shape", [2]int{})
	ratio := d.real("crop_ratio", 1)
	if !(ratio > 0 && ratio <= 1) {
		d.fail("crop_ratio", fmt.Sprint(ratio), "a number above 0 and up to 1")
	}
	if c.Resize != [2]int{} {
		c.Crop, c.cropRatio = [2]int{}, ratio
		if ratio < 1 {
			c.Crop = [2]int{int(math.Floor(float64(c.Resize[0]) * ratio)), int(math.Floor(float64(c.Resize[1]) * ratio))}
		}
	}
	c.GroupNorm = d.flag("use_group_norm", true)
	c.Keypoints = d.number("spatial_softmax_num_keypoints", 32, maxNumbers/2)
	c.SeparateEncoders = d.flag("use_separate_rgb_encoder_per_camera", false)
	if !cameras {
		c.Backbone, c.Crop, c.Resize, c.GroupNorm, c.Keypoints, c.SeparateEncoders = "", [2]int{}, [2]int{}, false, 0, false
	}
}

// readUNet reads the sizes of the U-Net.
func (c *Config) readUNet(d *document) {
	c.DownDims = []int{512, 1024, 2048}
	d.take("down_dims", &c.DownDims, "a list of whole numbers")
	c.Kernel, c.Groups = d.number("kernel_size", 5, maxNumbers), d.number("n_groups", 8, maxNumbers)
	c.TimeDim = d.number("diffusion_step_embed_dim", 128, maxNumbers)
	c.ShiftOnly = !d.flag("use_film_scale_modulation", true)
}

// Cameras returns the images, in the order in which the policy is told them.
func (c *Config) Cameras() (out []Feature) {
	for _, f := range c.Inputs {
		if f.Type == Visual {
			out = append(out, f)
		}
	}
	return out
}

// input returns the vector of a key and type.
func (c *Config) input(t FeatureType) (Feature, bool) {
	for _, f := range c.Inputs {
		if f.Type == t && (t != State || f.Key == stateKey) {
			f.Key = map[FeatureType]string{State: stateKey, Environment: environmentKey}[t]
			return f, true
		}
	}
	return Feature{}, false
}

// check returns an error for settings that contradict one another.
func (c *Config) check() error {
	bad := func(key string, got any, want string) error {
		return &ConfigError{configFile, key, fmt.Sprint(got), want}
	}
	if _, ok := c.input(State); !ok {
		return bad(stateKey, "missing", "a feature of type STATE with that name")
	}
	cameras := c.Cameras()
	_, environment := c.input(Environment)
	if len(cameras) == 0 && !environment {
		return bad("input features", "without an image and without a state of the environment", "one of them")
	}
	for _, f := range cameras {
		if !strings.HasPrefix(f.Key, imagePrefix) {
			return bad("input features", f.Key, "names of cameras that begin with "+imagePrefix)
		}
		if fmt.Sprint(f.Shape) != fmt.Sprint(cameras[0].Shape) {
			return bad(f.Key, f.Shape, fmt.Sprintf("the shape of %s, %v: all cameras have the same", cameras[0].Key, cameras[0].Shape))
		}
	}
	if step := 1 << min(len(c.DownDims), 16); c.Horizon%step != 0 {
		return bad("horizon", c.Horizon, fmt.Sprintf("a multiple of %d, 2 to the power of the %d levels", step, len(c.DownDims)))
	}
	if most := c.Horizon - c.ObservationSteps + 1; c.ActionSteps > most {
		return bad("n_action_steps", c.ActionSteps, fmt.Sprintf("at most horizon - n_obs_steps + 1 = %d", most))
	}
	return nil
}

// conditionSize returns the length of what the U-Net is told.
func (c *Config) conditionSize() int {
	n := 0
	for _, t := range []FeatureType{State, Environment} {
		if f, ok := c.input(t); ok {
			n += f.Size()
		}
	}
	return c.ObservationSteps * (n + 2*c.Keypoints*len(c.Cameras()))
}

// unet describes the U-Net.
func (c *Config) unet(workers int) nn.ActionUNetConfig {
	out := nn.ActionUNetConfig{Horizon: c.Horizon, ActionDim: c.Action.Size(), ConditionDim: c.conditionSize(), DownDims: c.DownDims,
		Kernel: c.Kernel, Groups: c.Groups, TimeDim: c.TimeDim, ShiftOnly: c.ShiftOnly, Workers: workers}
	if c.Diffusion.Sample {
		out.Prediction = schedule.X0
	}
	return out
}

// encoder describes the encoder of a camera.
func (c *Config) encoder(workers int) nn.VisionEncoderConfig {
	shape := c.Cameras()[0].Shape
	return nn.VisionEncoderConfig{Backbone: c.Backbone, Channels: shape[0], Height: shape[1], Width: shape[2], Resize: c.Resize, Crop: c.Crop,
		GroupNorm: c.GroupNorm, Keypoints: c.Keypoints, Workers: workers}
}
