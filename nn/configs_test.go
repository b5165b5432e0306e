package nn

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
)

// goodConfigs are published configurations, cut down.
var goodConfigs = map[string]string{
	"unet": `{"_class_name": "UNet2DConditionModel", "in_channels": 4, "out_channels": 4, "block_out_channels": [32, 64],
		"down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
		"attention_head_dim": [2, 4], "cross_attention_dim": 16, "norm_num_groups": 8, "class_embed_type": null, "dual_cross_attention": false}`,
	"vae": `{"_class_name": "AutoencoderKL", "block_out_channels": [32, 64], "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D"],
		"up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D"], "norm_num_groups": 8, "_diffusers_version": "0.8.0"}`,
	"text":   `{"model_type": "clip_text_model", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2, "hidden_act": "gelu"}`,
	"vision": `{"model_type": "clip_vision_model", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2}`,
	"xs": `{"_class_name": "ControlNetXSAdapter", "block_out_channels": [4, 8], "conditioning_embedding_out_channels": [4, 8],
		"num_attention_heads": 2, "max_norm_num_groups": 4}`,
}

// parseAndMake reads a configuration of a kind and makes its network, without weights.
func parseAndMake(kind string, raw []byte) error {
	switch kind {
	case "unet":
		c, err := parseUNet2D(raw)
		if err == nil {
			_, err = NewUNet2DCondition(c)
		}
		return err
	case "vae":
		c, err := parseAutoencoder(raw)
		if err == nil {
			_, err = NewAutoencoderKL(c)
		}
		return err
	case "text":
		c, err := parseCLIPText(raw)
		if err == nil {
			_, err = NewCLIPText(c)
		}
		return err
	case "vision":
		c, err := parseCLIPVision(raw)
		if err == nil {
			_, err = NewCLIPVision(c)
		}
		return err
	}
	c, err := parseControlNetXS(raw)
	if err != nil {
		return err
	}
	base, err := parseUNet2D([]byte(goodConfigs["unet"]))
	if err != nil {
		return err
	}
	n, err := NewUNet2DCondition(base)
	if err == nil {
		_, err = NewControlNetXS(n, c)
	}
	return err
}

func TestConfigs(t *testing.T) {
	for kind, raw := range goodConfigs {
		if err := parseAndMake(kind, []byte(raw)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestBadConfigs changes a key of a good configuration at a time, and cuts it short: all
// of that is an error that names the key.
func TestBadConfigs(t *testing.T) {
	for _, c := range []struct{ kind, key, value string }{
		{"unet", "block_out_channels", "[32, 65]"}, {"unet", "block_out_channels", "[32]"}, {"unet", "block_out_channels", "[]"},
		{"unet", "block_out_channels", "[32, 1e9]"}, {"unet", "block_out_channels", `"wide"`}, {"unet", "block_out_channels", "null"},
		{"unet", "attention_head_dim", "[2, 5]"}, {"unet", "attention_head_dim", "0"}, {"unet", "attention_head_dim", "[2]"},
		{"unet", "down_block_types", `["AttnDownBlock2D", "DownBlock2D"]`}, {"unet", "in_channels", "-4"}, {"unet", "in_channels", "9e18"},
		{"unet", "act_fn", `"gelu"`}, {"unet", "class_embed_type", `"timestep"`}, {"unet", "dual_cross_attention", "true"},
		{"unet", "layers_per_block", "17"}, {"unet", "transformer_layers_per_block", "17"}, {"unet", "norm_eps", "0"}, {"unet", "freq_shift", "16"},
		{"unet", "_class_name", `"AutoencoderKL"`}, {"unet", "some_future_key", "7"}, {"unet", "norm_num_groups", "7"},
		{"vae", "latent_channels", "0"}, {"vae", "up_block_types", `["UpBlock2D", "UpDecoderBlock2D"]`}, {"vae", "scaling_factor", "-1"},
		{"vae", "use_quant_conv", "false"}, {"text", "num_attention_heads", "5"}, {"text", "vocab_size", "100000000"},
		{"text", "hidden_act", `"relu"`}, {"text", "layer_norm_eps", "2"}, {"vision", "patch_size", "31"}, {"vision", "projection_dim", "0"},
		{"xs", "block_out_channels", "[4, 8, 8]"}, {"xs", "conditioning_channel_order", `"bgr"`}, {"xs", "time_embedding_mix", "3"},
	} {
		var ce *ConfigError
		err := parseAndMake(c.kind, with(t, goodConfigs[c.kind], c.key, c.value))
		if !errors.As(err, &ce) || ce.Field == "" || ce.Want == "" {
			t.Errorf("%s with %s = %s: %v, want *ConfigError", c.kind, c.key, c.value, err)
		}
	}
	for kind, raw := range goodConfigs {
		for _, cut := range []string{"", raw[:len(raw)/2], raw + "{}", "[1]", `"text"`, strings.Repeat("[", 1<<10)} {
			var ce *ConfigError
			if err := parseAndMake(kind, []byte(cut)); !errors.As(err, &ce) {
				t.Errorf("%s from %.30q: %v, want *ConfigError", kind, cut, err)
			}
		}
	}
}

// with returns a configuration with another value of a key.
func with(t *testing.T, raw, key, value string) []byte {
	t.Helper()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &keys); err != nil {
		t.Fatal(err)
	}
	keys = maps.Clone(keys)
	keys[key] = json.RawMessage(value)
	out, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// FuzzConfigs checks that no configuration makes a panic, and that what is wrong is
// always a [ConfigError].
func FuzzConfigs(f *testing.F) {
	for kind, raw := range goodConfigs {
		f.Add(kind, []byte(raw))
	}
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		var ce *ConfigError
		if err := parseAndMake(kind, raw); err != nil && !errors.As(err, &ce) {
			t.Errorf("%v is no *ConfigError", err)
		}
	})
}
