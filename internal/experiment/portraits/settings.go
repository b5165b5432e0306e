package portraits

import (
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/nn"
)

// settings writes a configuration as published folders have it.
func settings(v any) ([]byte, error) {
	out, err := json.MarshalIndent(v, "", "  ")
	return append(out, '\n'), err
}

// writeSettings writes a configuration to a file of a folder, which it makes.
func writeSettings(dir, name string, v any) error {
	raw, err := settings(v)
	if err != nil {
		return err
	}
	return writeFile(dir, name, raw)
}

// writeFile writes a file of a folder, which it makes.
func writeFile(dir, name string, raw []byte) error {
	if err := atomicfile.MkdirAll(dir); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
		_, err := w.Write(raw)
		return err
	})
}

// autoencoderSettings is the config.json of an autoencoder.
func autoencoderSettings(c nn.AutoencoderConfig) map[string]any {
	return map[string]any{
		"_class_name": "AutoencoderKL", "act_fn": "silu", "in_channels": c.InChannels, "out_channels": c.OutChannels,
		"latent_channels": c.LatentChannels, "block_out_channels": c.BlockOutChannels, "layers_per_block": c.LayersPerBlock,
		"norm_num_groups": c.NormNumGroups, "sample_size": c.SampleSize, "scaling_factor": c.ScalingFactor,
		"down_block_types": repeated("DownEncoderBlock2D", len(c.BlockOutChannels)),
		"up_block_types":   repeated("UpDecoderBlock2D", len(c.BlockOutChannels)),
	}
}

// denoiserSettings is the config.json of a denoising network.
func denoiserSettings(c nn.UNet2DConfig) map[string]any {
	return map[string]any{
		"_class_name": "UNet2DConditionModel", "act_fn": "silu", "sample_size": c.SampleSize,
		"in_channels": c.InChannels, "out_channels": c.OutChannels, "block_out_channels": c.BlockOutChannels,
		"layers_per_block": c.LayersPerBlock, "cross_attention_dim": c.CrossAttentionDim, "attention_head_dim": c.Heads,
		"transformer_layers_per_block": c.TransformerLayers, "use_linear_projection": c.UseLinearProjection,
		"norm_num_groups": c.NormNumGroups, "norm_eps": c.NormEps, "flip_sin_to_cos": c.FlipSinToCos, "freq_shift": c.FreqShift,
		"down_block_types": blocks(c.DownAttention, "CrossAttnDownBlock2D", "DownBlock2D"),
		"up_block_types":   blocks(c.UpAttention, "CrossAttnUpBlock2D", "UpBlock2D"),
	}
}

// textSettings is the config.json of a text encoder.
func textSettings(c nn.CLIPTextConfig) map[string]any {
	return map[string]any{
		"architectures": []string{"CLIPTextModel"}, "model_type": "clip_text_model", "hidden_size": c.Width, "intermediate_size": c.Hidden,
		"num_attention_heads": c.Heads, "num_hidden_layers": c.Layers, "vocab_size": c.Vocabulary,
		"max_position_embeddings": c.Positions, "hidden_act": c.Activation, "layer_norm_eps": c.Epsilon,
	}
}

// scheduleSettings is the scheduler_config.json: that of Stable Diffusion, of a network that
// predicts what a recipe says, and with its noise.
func scheduleSettings(r Recipe) (map[string]any, error) {
	all := map[string]any{
		"_class_name": "DDIMScheduler", "num_train_timesteps": trainingSteps, "beta_start": betaStart, "beta_end": betaEnd,
		"beta_schedule": "scaled_linear", "prediction_type": cmp.Or(r.Prediction, "epsilon"), "clip_sample": false, "set_alpha_to_one": false,
		"steps_offset": 1, "timestep_spacing": "leading",
	}
	if r.Terminal == 0 {
		return all, nil
	}
	s, err := noiseSchedule(0)
	if err == nil {
		all["trained_betas"] = betasTo(s, r.Terminal)
	}
	return all, err
}

func repeated(name string, n int) (all []string) {
	for range n {
		all = append(all, name)
	}
	return all
}

func blocks(attention []bool, with, without string) (all []string) {
	for _, a := range attention {
		if a {
			all = append(all, with)
		} else {
			all = append(all, without)
		}
	}
	return all
}
