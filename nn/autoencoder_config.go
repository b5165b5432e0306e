package nn

import (
	"fmt"
	"strings"
)

// AutoencoderConfig describes an [AutoencoderKL]. [ParseConfig] reads it from
// the config.json of the library diffusers.
type AutoencoderConfig struct {
	InChannels, OutChannels int
	LatentChannels          int
	BlockOutChannels        []int // by level, from the image down
	LayersPerBlock          int   // residual blocks of a level of the encoder, one more in the decoder
	NormNumGroups           int
	SampleSize              int     // pixels of a side that the network was trained on
	ScalingFactor           float64 // of latents, for models of them
	Workers                 int     // goroutines; 0 is GOMAXPROCS
}

// parseAutoencoder reads a config.json. It returns a [ConfigError] for what is
// missing, contradicts itself or asks for a network of another kind.
func parseAutoencoder(raw []byte) (AutoencoderConfig, error) {
	d := parseDocument("AutoencoderKL", raw)
	if d.err != nil {
		return AutoencoderConfig{}, d.err
	}
	d.only("_class_name", "AutoencoderKL")
	c := AutoencoderConfig{
		InChannels: d.number("in_channels", 3, maxSize), OutChannels: d.number("out_channels", 3, maxSize),
		LatentChannels: d.number("latent_channels", 4, maxSize), BlockOutChannels: d.numbers("block_out_channels", maxSize),
		LayersPerBlock: d.number("layers_per_block", 1, maxLayers2D), NormNumGroups: d.number("norm_num_groups", 32, maxSize),
		SampleSize: d.side("sample_size", 32, maxSize), ScalingFactor: d.real("scaling_factor", 0.18215),
	}
	levels := len(c.BlockOutChannels)
	for _, w := range d.words("down_block_types", levels) {
		d.mustBe("down_block_types", w, "DownEncoderBlock2D")
	}
	for _, w := range d.words("up_block_types", levels) {
		d.mustBe("up_block_types", w, "UpDecoderBlock2D")
	}
	d.only("act_fn", "silu", "swish")
	d.only("mid_block_add_attention", true)
	d.only("use_quant_conv", true)
	d.only("use_post_quant_conv", true)
	d.ignore("force_upcast") // all arithmetic is in float32
	if err := d.end(); err != nil {
		return AutoencoderConfig{}, err
	}
	return c, c.check()
}

func (d *document) mustBe(name, got, want string) {
	if got != want {
		d.fail(name, got, want)
	}
}

func (c *AutoencoderConfig) normal() normal { return normal{c.NormNumGroups, 1e-6} }

// check returns an error for sizes that make no network.
func (c *AutoencoderConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"AutoencoderKL", field, fmt.Sprint(got), want}
	}
	switch {
	case len(c.BlockOutChannels) < 1 || len(c.BlockOutChannels) > maxLevels2D || c.LayersPerBlock > maxLayers2D:
		return bad("block_out_channels", c.BlockOutChannels, fmt.Sprintf("1 to %d levels of up to %d blocks", maxLevels2D, maxLayers2D))
	case min(c.InChannels, c.OutChannels, c.LatentChannels, c.LayersPerBlock, c.NormNumGroups) < 1:
		return bad("sizes", fmt.Sprintf("%+v", *c), "positive numbers of channels, layers and groups")
	case !(c.ScalingFactor > 0 && c.ScalingFactor < 1e6):
		return bad("scaling_factor", c.ScalingFactor, "a positive number")
	}
	for _, w := range c.BlockOutChannels {
		if w < 1 || w > maxSize || w%c.NormNumGroups != 0 {
			return bad("block_out_channels", w, fmt.Sprintf("positive multiples of the %d groups up to %d", c.NormNumGroups, maxSize))
		}
	}
	return nil
}

// CurrentName returns the name of a parameter of an [AutoencoderKL] for its name in a
// file, which may be of before 2023.
func CurrentName(name string) string {
	const attention = ".attentions.0."
	at := strings.Index(name, attention)
	if at < 0 {
		return name
	}
	part, kind, ok := strings.Cut(name[at+len(attention):], ".")
	if now := oldNames[part]; ok && now != "" {
		return name[:at+len(attention)] + now + "." + kind
	}
	return name
}
