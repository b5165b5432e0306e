package policy

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// object is a JSON object in an order: that of cameras counts.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func featuresJSON(features []Feature) object {
	out := object{}
	for _, f := range features {
		out = append(out, member{f.Key, object{{"type", f.Type}, {"shape", f.Shape}}})
	}
	return out
}

// sidesJSON is a height and a width, or null.
func sidesJSON(s [2]int) any {
	if s == [2]int{} {
		return nil
	}
	return s
}

// configJSON returns config.json: complete, so that no default of a release decides. The crop is
// the one that is used, and no ratio derives another.
func (p *Policy) configJSON() (object, error) {
	modes, err := p.modes()
	if err != nil {
		return nil, err
	}
	c := &p.config
	d := c.Diffusion
	names := object{}
	for _, t := range slices.Sorted(maps.Keys(modes)) {
		names = append(names, member{string(t), modes[t]})
	}
	prediction, clip := "epsilon", d.Clip
	if d.Sample {
		prediction = "sample"
	}
	if clip == 0 {
		clip = 1
	}
	out := object{
		{"type", "diffusion"}, {"n_obs_steps", c.ObservationSteps},
		{"input_features", featuresJSON(c.told())}, {"output_features", featuresJSON([]Feature{c.Action})},
		{"device", "cpu"}, {"use_amp", false}, {"use_peft", false}, {"push_to_hub", false}, {"repo_id", nil}, {"private", nil},
		{"tags", nil}, {"license", nil}, {"pretrained_path", nil},
		{"horizon", c.Horizon}, {"n_action_steps", c.ActionSteps}, {"normalization_mapping", names},
		{"drop_n_last_frames", c.Horizon - c.ActionSteps - c.ObservationSteps + 1},
	}
	out = append(out, c.visionJSON()...)
	return append(out,
		member{"down_dims", c.DownDims}, member{"kernel_size", c.Kernel}, member{"n_groups", c.Groups},
		member{"diffusion_step_embed_dim", c.TimeDim}, member{"use_film_scale_modulation", !c.ShiftOnly},
		member{"noise_scheduler_type", d.Scheduler}, member{"num_train_timesteps", d.Steps}, member{"beta_schedule", d.Beta},
		member{"beta_start", d.BetaStart}, member{"beta_end", d.BetaEnd}, member{"prediction_type", prediction},
		member{"clip_sample", d.Clip != 0}, member{"clip_sample_range", clip}, member{"num_inference_steps", d.Inference},
		member{"compile_model", false}, member{"do_mask_loss_for_padding", false},
	), nil
}

// visionJSON returns the keys of cameras; a policy without has the library's defaults.
func (c *Config) visionJSON() object {
	backbone, points, ratio, crop := c.Backbone, c.Keypoints, 1.0, c.Crop
	if backbone == "" {
		backbone, points = "resnet18", 32
	}
	if c.Resize != [2]int{} && c.Crop != [2]int{} {
		ratio, crop = c.cropRatio, [2]int{}
	}
	return object{
		{"vision_backbone", backbone}, {"resize_shape", sidesJSON(c.Resize)}, {"crop_ratio", ratio}, {"crop_shape", sidesJSON(crop)},
		{"crop_is_random", true}, {"pretrained_backbone_weights", nil}, {"use_group_norm", c.GroupNorm},
		{"spatial_softmax_num_keypoints", points}, {"use_separate_rgb_encoder_per_camera", c.SeparateEncoders},
	}
}
