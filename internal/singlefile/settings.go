package singlefile

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// Settings returns the config.json of a part, as the library diffusers would write it: sizes
// from the shapes of the tensors, and what a file does not say from the family.
func (m *Model) Settings(part string) ([]byte, error) {
	sd := m.Parts[part]
	if sd == nil {
		return nil, &Error{Reason: "holds no part " + part}
	}
	t := shapes{sd}
	switch part {
	case UNet:
		c := t.unet(m.Family)
		if m.Family == SD2 && m.Prediction == Velocity {
			c["sample_size"] = velocitySide
		}
		return json.MarshalIndent(c, "", "  ")
	case VAE:
		return json.MarshalIndent(t.vae(), "", "  ")
	}
	return json.MarshalIndent(t.text(m.Family), "", "  ")
}

// velocitySide is the side of the latents that the network of family 2 was trained on which predicts
// velocities: of images of 768 pixels, where others have 512.
const velocitySide = 96

// OfVelocity changes the settings of a denoising network of family 2, which [Model.Settings] made before it
// was known that it predicts velocities.
func OfVelocity(settings []byte) ([]byte, error) {
	var c map[string]any
	if err := json.Unmarshal(settings, &c); err != nil {
		return nil, err
	}
	c["sample_size"] = velocitySide
	return json.MarshalIndent(c, "", "  ")
}

// Scheduler returns the scheduler_config.json that models of the family were published with:
// for those that predict velocities, and for others. Where the noise ends without signal, sampling
// begins at the last timestep of the training, as those who found the flaw of others propose (Lin et al.,
// "Common diffusion noise schedules and sample steps are flawed", WACV 2024).
func Scheduler(prediction string, zeroSNR bool) ([]byte, error) {
	class, kind := "PNDMScheduler", Epsilon
	if prediction == Velocity {
		class, kind = "DDIMScheduler", Velocity
	}
	c := map[string]any{
		"_class_name": class, "num_train_timesteps": 1000, "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
		"clip_sample": false, "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": nil, "prediction_type": kind,
	}
	if zeroSNR {
		c["rescale_betas_zero_snr"], c["timestep_spacing"] = true, "trailing"
	}
	return json.MarshalIndent(c, "", "  ")
}

// Class returns the class of a part.
func Class(part string) string {
	return map[string]string{UNet: "UNet2DConditionModel", VAE: "AutoencoderKL", Text: "CLIPTextModel"}[part]
}

// shapes are the tensors of a part under the names of a folder.
type shapes struct{ *weights.StateDict }

// size returns the length of an axis of a tensor; 0 for one that is not there.
func (t shapes) size(name string, axis int) int {
	x, ok := t.Tensor(name)
	if !ok || axis >= len(x.Shape) {
		return 0
	}
	return x.Shape[axis]
}

func (t shapes) has(name string) bool {
	_, ok := t.Tensor(name)
	return ok
}

// count returns how many of the names of a pattern there are, from number 0 on.
func (t shapes) count(pattern string) (n int) {
	for n < maxBlocks && t.has(fmt.Sprintf(pattern, n)) {
		n++
	}
	return n
}

// widths returns the channels of the levels whose first block a pattern names.
func (t shapes) widths(pattern string) (out []int) {
	for i := range t.count(pattern) {
		out = append(out, t.size(fmt.Sprintf(pattern, i), 0))
	}
	return out
}

func (t shapes) unet(f Family) map[string]any {
	const block = "down_blocks.%d.resnets.0.conv1.weight"
	widths := t.widths(block)
	down, up, context, linear := []string{}, []string{}, 0, false
	for i := range widths {
		down = append(down, kindOf(t.has(fmt.Sprintf("down_blocks.%d.attentions.0.norm.weight", i)), "CrossAttnDownBlock2D", "DownBlock2D"))
		up = append(up, kindOf(t.has(fmt.Sprintf("up_blocks.%d.attentions.0.norm.weight", i)), "CrossAttnUpBlock2D", "UpBlock2D"))
	}
	for _, x := range t.Tensors() {
		switch {
		case strings.HasSuffix(x.Name, ".attn2.to_k.weight") && len(x.Shape) == 2:
			context = x.Shape[1]
		case strings.HasSuffix(x.Name, ".proj_in.weight"):
			linear = len(x.Shape) == 2
		}
	}
	c := map[string]any{
		"_class_name": Class(UNet), "sample_size": 64, "in_channels": t.size("conv_in.weight", 1), "out_channels": t.size("conv_out.weight", 0),
		"block_out_channels": widths, "layers_per_block": t.count("down_blocks.0.resnets.%d.conv1.weight"), "cross_attention_dim": context,
		"down_block_types": down, "up_block_types": up, "use_linear_projection": linear, "attention_head_dim": heads(f, widths),
		"act_fn": "silu", "center_input_sample": false, "downsample_padding": 1, "flip_sin_to_cos": true, "freq_shift": 0,
		"mid_block_scale_factor": 1, "norm_eps": 1e-05, "norm_num_groups": 32,
	}
	if !t.has("mid_block.resnets.0.conv1.weight") {
		c["mid_block_type"] = nil
	}
	if n := t.size("time_embedding.cond_proj.weight", 1); n > 0 {
		c["time_cond_proj_dim"] = n
	}
	return c
}

func kindOf(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// heads returns how many heads the levels have, which shapes do not say: 8, or one for each
// 64 channels.
func heads(f Family, widths []int) any {
	if f == SD1 {
		return 8
	}
	var out []int
	for _, w := range widths {
		out = append(out, max(w/64, 1))
	}
	return out
}

func (t shapes) vae() map[string]any {
	widths := t.widths("encoder.down_blocks.%d.resnets.0.conv1.weight")
	down, up := []string{}, []string{}
	for range widths {
		down, up = append(down, "DownEncoderBlock2D"), append(up, "UpDecoderBlock2D")
	}
	return map[string]any{
		"_class_name": Class(VAE), "sample_size": 512, "in_channels": t.size("encoder.conv_in.weight", 1), "out_channels": t.size("decoder.conv_out.weight", 0),
		"latent_channels": t.size("post_quant_conv.weight", 0), "block_out_channels": widths, "layers_per_block": t.count("encoder.down_blocks.0.resnets.%d.conv1.weight"),
		"norm_num_groups": 32, "down_block_types": down, "up_block_types": up, "act_fn": "silu", "scaling_factor": 0.18215,
	}
}

func (t shapes) text(f Family) map[string]any {
	width := t.size(tokensInFolder, 1)
	return map[string]any{
		"architectures": []string{Class(Text)}, "model_type": "clip_text_model", "vocab_size": t.size(tokensInFolder, 0), "hidden_size": width,
		"intermediate_size": t.size(folderLayer+"0.mlp.fc1.weight", 0), "num_hidden_layers": t.count(folderLayer + "%d.mlp.fc1.weight"),
		"num_attention_heads": max(width/64, 1), "max_position_embeddings": t.size(folderPosition, 0), "projection_dim": width,
		"hidden_act": [...]string{"quick_gelu", "gelu"}[f], "layer_norm_eps": 1e-05, "bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1,
	}
}
