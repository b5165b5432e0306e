package nn

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

// samplerCase returns a case of the reference vectors of few-step models.
func samplerCase(t *testing.T, name string) (golden.Case, map[string]golden.Array) {
	t.Helper()
	c := golden.Cases(t, "testdata/samplers", func(n string) bool { return n == name })[0]
	return c, golden.Safetensors(t, c.Dir+"/io.safetensors")
}

// fillSeeded gives a network the weights of the formula with a seed.
func fillSeeded(n interface {
	Params() []*Param
	Refresh()
}, seed uint64) {
	for _, p := range n.Params() {
		p.Data = golden.SeededWeights(p.Name, seed, p.Shape...)
	}
	n.Refresh()
}

// seededInput returns an input in [lo, hi] of the formula with a seed.
func seededInput(name string, seed uint64, lo, hi float64, n int, shape ...int) tensor.Batch {
	b, u := tensor.New(n, shape...), golden.Seeded("input."+name, seed)
	for i := range b.Data {
		b.Data[i] = float32(lo + (hi-lo)*(u(i)+1)/2)
	}
	return b
}

// TestUNetWithoutMiddle compares a network of the form of those distilled to be small: three
// levels, one layer, no block between the ways down and up.
func TestUNetWithoutMiddle(t *testing.T) {
	const seed = 911
	c, io := samplerCase(t, "unet_no_middle")
	raw, err := os.ReadFile(c.Dir + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	config, err := parseUNet2D(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewUNet2DCondition(config)
	if err != nil {
		t.Fatal(err)
	}
	fillSeeded(n, seed)
	count := 0
	for _, p := range n.Params() {
		count += len(p.Data)
	}
	if count != 377284 {
		t.Errorf("%d parameters, want 377284", count)
	}
	x, context := seededInput("sample", seed, -2, 2, 2, 4, 8, 12), seededInput("encoder_hidden_states", seed, -1.5, 1.5, 2, 5, 24)
	bound, err := n.Bind(8, 12, context)
	if err != nil {
		t.Fatal(err)
	}
	dst := tensor.New(2, x.Shape...)
	for i, at := range []int{999, 259} {
		if err := bound.Predict(t.Context(), dst.Rows(i, i+1), x.Rows(i, i+1), at); err != nil {
			t.Fatal(err)
		}
	}
	c.Check(t, "out.sample", dst.Data, io["out.sample"])
	if _, err := NewControlNetXS(n, ControlNetXSConfig{}); err == nil {
		t.Error("an adapter of a network without a middle: no error")
	}
}

// TestGuidanceAsInput compares a network that takes the strength of guidance as an input, as
// latent consistency models do.
func TestGuidanceAsInput(t *testing.T) {
	const seed = 911
	c, io := samplerCase(t, "unet_guidance_embedding")
	raw, err := os.ReadFile(c.Dir + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	config, err := parseUNet2D(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewUNet2DCondition(config)
	if err != nil {
		t.Fatal(err)
	}
	fillSeeded(n, seed)
	count := 0
	for _, p := range n.Params() {
		count += len(p.Data)
	}
	if count != 202436 {
		t.Errorf("%d parameters, want 202436", count)
	}
	x, context := seededInput("sample", seed, -2, 2, 2, 4, 8, 12), seededInput("encoder_hidden_states", seed, -1.5, 1.5, 2, 5, 24)
	dst, features := tensor.New(2, x.Shape...), []float32(nil)
	for i, at := range []int{999, 259} {
		strength := io["in.guidance_minus_1"].Data[i] + 1
		features = append(features, guidanceFeatures(config.GuidanceDim, float64(strength))...)
		bound, err := n.BindGuided(8, 12, context, float64(strength))
		if err != nil {
			t.Fatal(err)
		}
		if err := bound.Predict(t.Context(), dst.Rows(i, i+1), x.Rows(i, i+1), at); err != nil {
			t.Fatal(err)
		}
	}
	c.Check(t, "out.guidance_embedding", features, io["out.guidance_embedding"])
	c.Check(t, "out.sample", dst.Data, io["out.sample"])
	bound, err := n.BindGuided(8, 12, context, 7)
	if err != nil {
		t.Fatal(err)
	}
	wantGradient(t, bound, x.Rows(0, 1))
	if _, err := n.BindGuided(8, 12, context, math.NaN()); err == nil {
		t.Error("guidance of NaN: no error")
	}
}

// wantGradient compares a product with the Jacobian with central differences along a
// direction.
func wantGradient(t *testing.T, b *Bound, x tensor.Batch) {
	t.Helper()
	const at, h = 500, 1e-2
	u, dx, y := x.Clone(), tensor.New(1, x.Shape...), [2]tensor.Batch{tensor.New(1, x.Shape...), tensor.New(1, x.Shape...)}
	for j := range u.Data {
		u.Data[j] = float32(math.Sin(float64(j)))
	}
	if err := b.VJP(t.Context(), dx, x, u, at); err != nil {
		t.Fatal(err)
	}
	for k, sign := range []float32{1, -1} {
		moved := x.Clone()
		for j := range moved.Data {
			moved.Data[j] += sign * h * u.Data[j]
		}
		if err := b.Predict(t.Context(), y[k], moved, at); err != nil {
			t.Fatal(err)
		}
	}
	got, want := 0.0, 0.0
	for j := range u.Data {
		got += float64(dx.Data[j]) * float64(u.Data[j])
		want += float64(u.Data[j]) * float64(y[0].Data[j]-y[1].Data[j]) / (2 * h)
	}
	if math.Abs(got-want) > 1e-3*math.Abs(want)+1e-3 {
		t.Errorf("the directional derivative is %v, want %v", got, want)
	}
}

// TestDefaultsOfKeysPass reads settings as a current library writes them, with every key.
func TestDefaultsOfKeysPass(t *testing.T) {
	const all = `{"_class_name": "UNet2DConditionModel", "act_fn": "silu", "addition_embed_type": null, "addition_embed_type_num_heads": 64, "addition_time_embed_dim": null,
		"attention_head_dim": 8, "attention_type": "default", "block_out_channels": [320, 640, 1280, 1280], "center_input_sample": false, "class_embed_type": null,
		"class_embeddings_concat": false, "conv_in_kernel": 3, "conv_out_kernel": 3, "cross_attention_dim": 768, "cross_attention_norm": null,
		"down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"], "downsample_padding": 1, "dropout": 0.0,
		"dual_cross_attention": false, "encoder_hid_dim": null, "encoder_hid_dim_type": null, "flip_sin_to_cos": true, "freq_shift": 0, "in_channels": 4,
		"layers_per_block": 2, "mid_block_only_cross_attention": null, "mid_block_scale_factor": 1, "mid_block_type": "UNetMidBlock2DCrossAttn", "norm_eps": 1e-05,
		"norm_num_groups": 32, "num_attention_heads": null, "num_class_embeds": null, "only_cross_attention": false, "out_channels": 4,
		"projection_class_embeddings_input_dim": null, "resnet_out_scale_factor": 1.0, "resnet_skip_time_act": false, "resnet_time_scale_shift": "default",
		"reverse_transformer_layers_per_block": null, "sample_size": 64, "time_cond_proj_dim": null, "time_embedding_act_fn": null, "time_embedding_dim": null,
		"time_embedding_type": "positional", "timestep_post_act": null, "transformer_layers_per_block": 1,
		"up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"], "upcast_attention": null, "use_linear_projection": false}`
	if _, err := parseUNet2D([]byte(all)); err != nil {
		t.Error(err)
	}
	if c, err := parseUNet2D([]byte(`{}`)); err != nil || len(c.BlockOutChannels) != 4 || c.NoMiddle {
		t.Errorf("no keys: %+v, %v, want the published structure", c, err)
	}
	for key, value := range map[string]string{"act_fn": `"swish"`, "only_cross_attention": "[false, false, false, false]", "sample_size": "[64, 64]",
		"layers_per_block": "[2, 2, 2, 2]", "cross_attention_dim": "[768, 768, 768, 768]", "dropout": "0.1", "decay": "0.9999", "optimization_step": "12000", "inv_gamma": "1.0", "power": "0.6667",
		"update_after_step": "100", "min_decay": "0.5", "use_ema_warmup": "true"} { // the last ones are of a training and of an average of its weights
		if c, err := parseUNet2D(with(t, all, key, value)); err != nil || c.SampleSize != 64 || c.LayersPerBlock != 2 || c.CrossAttentionDim != 768 {
			t.Errorf("%s = %s: %+v, %v", key, value, c, err)
		}
	}
	for key, value := range map[string]string{"act_fn": `"mish"`, "only_cross_attention": "[false, true, false, false]", "sample_size": "[64, 96]", "attention_type": `"gated"`, "addition_embed_type_num_heads": "32", "time_cond_proj_dim": "255",
		"layers_per_block": "[2, 2, 1, 2]", "cross_attention_dim": "[768, 768]", "mid_block_type": `"UNetMidBlock2D"`, "center_input_sample": "true", "resnet_out_scale_factor": "2.0"} {
		if _, err := parseUNet2D(with(t, all, key, value)); err == nil {
			t.Errorf("%s = %s: no error", key, value)
		}
	}
	const vae = `{"_class_name": "AutoencoderKL", "act_fn": "silu", "block_out_channels": [128, 256, 512, 512], "force_upcast": true, "in_channels": 3, "latent_channels": 4,
		"down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"], "latents_mean": null, "latents_std": null,
		"layers_per_block": 2, "mid_block_add_attention": true, "norm_num_groups": 32, "out_channels": 3, "sample_size": 768, "scaling_factor": 0.18215, "shift_factor": null,
		"up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"], "use_post_quant_conv": true, "use_quant_conv": true}`
	if _, err := parseAutoencoder([]byte(vae)); err != nil {
		t.Error(err)
	}
	for key, value := range map[string]string{"act_fn": `"swish"`, "sample_size": "[768, 768]"} {
		if c, err := parseAutoencoder(with(t, vae, key, value)); err != nil || c.SampleSize != 768 {
			t.Errorf("%s = %s: %+v, %v", key, value, c, err)
		}
	}
	if _, err := parseAutoencoder(with(t, vae, "shift_factor", "0.1159")); err == nil {
		t.Error("a shift of latents: no error")
	}
	const text = `{"architectures": ["CLIPTextModel"], "attention_dropout": 0.0, "bos_token_id": 0, "dropout": 0.0, "dtype": "float16", "eos_token_id": 2, "hidden_act": "quick_gelu",
		"hidden_size": 768, "initializer_factor": 1.0, "initializer_range": 0.02, "intermediate_size": 3072, "layer_norm_eps": 1e-05, "max_position_embeddings": 77,
		"model_type": "clip_text_model", "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1, "projection_dim": 768, "transformers_version": "4.57.1", "vocab_size": 49408}`
	if _, err := parseCLIPText([]byte(text)); err != nil {
		t.Error(err)
	}
	// In full, as configurations were saved that were part of another.
	full := strings.Replace(text, "{", `{"_attn_implementation_autoset": true, "add_cross_attention": false, "bad_words_ids": null, "chunk_size_feed_forward": 0, "cross_attention_hidden_size": null,
		"diversity_penalty": 0.0, "do_sample": false, "early_stopping": false, "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "is_decoder": false, "label2id": {"LABEL_0": 0, "LABEL_1": 1}, "length_penalty": 1.0,
		"max_length": 20, "min_length": 0, "num_beam_groups": 1, "num_beams": 1, "num_return_sequences": 1, "output_attentions": false, "output_hidden_states": false, "prefix": null, "pruned_heads": {},
		"repetition_penalty": 1.0, "return_dict": true, "return_dict_in_generate": false, "temperature": 1.0, "tie_encoder_decoder": false, "tie_word_embeddings": true, "top_k": 50, "top_p": 1.0,
		"torchscript": false, "typical_p": 1.0, "use_bfloat16": false, `, 1)
	if _, err := parseCLIPText([]byte(full)); err != nil {
		t.Error(err)
	}
	if _, err := parseCLIPText(with(t, full, "is_decoder", "true")); err == nil {
		t.Error("a decoder: no error")
	}
}
