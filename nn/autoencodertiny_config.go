package nn

import (
	"fmt"
	"slices"
)

// AutoencoderTinyConfig describes an [AutoencoderTiny]. [ParseConfig] reads
// it from the config.json of the library diffusers.
type AutoencoderTinyConfig struct {
	InChannels, OutChannels    int
	LatentChannels             int
	EncoderWidth, DecoderWidth int   // channels of all levels
	EncoderBlocks              []int // by level, from the image down
	DecoderBlocks              []int // by level, from the latent up
	ScalingFactor              float64
	Workers                    int // goroutines; 0 is GOMAXPROCS
}

// parseAutoencoderTiny reads a config.json. It returns a [ConfigError] for what is
// missing, contradicts itself or asks for a network of another kind.
func parseAutoencoderTiny(raw []byte) (AutoencoderTinyConfig, error) {
	d := parseDocument("AutoencoderTiny", raw)
	if d.err != nil {
		return AutoencoderTinyConfig{}, d.err
	}
	d.only("_class_name", "AutoencoderTiny")
	d.absent("encoder_block_out_channels", "[64, 64, 64, 64]")
	d.absent("decoder_block_out_channels", "[64, 64, 64, 64]")
	d.absent("num_encoder_blocks", "[1, 3, 3, 3]")
	d.absent("num_decoder_blocks", "[3, 3, 3, 1]")
	c := AutoencoderTinyConfig{
		InChannels: d.number("in_channels", 3, maxSize), OutChannels: d.number("out_channels", 3, maxSize),
		LatentChannels: d.number("latent_channels", 4, maxSize), ScalingFactor: d.real("scaling_factor", 1),
		EncoderBlocks: d.numbers("num_encoder_blocks", maxLayers2D), DecoderBlocks: d.numbers("num_decoder_blocks", maxLayers2D),
	}
	c.EncoderWidth = d.width("encoder_block_out_channels", len(c.EncoderBlocks))
	c.DecoderWidth = d.width("decoder_block_out_channels", len(c.DecoderBlocks))
	d.only("act_fn", "relu")
	d.only("upsampling_scaling_factor", 2.0)
	d.only("upsample_fn", "nearest")
	d.only("shift_factor", 0.0)
	d.ignore("force_upcast", "latent_magnitude", "latent_shift") // of arithmetic, and of latents as bytes
	d.ignore("block_out_channels")                               // as the library saves it, too: that of the encoder
	if err := d.end(); err != nil {
		return AutoencoderTinyConfig{}, err
	}
	return c, c.check()
}

// width reads a list of equal numbers, one for each level.
func (d *document) width(name string, levels int) int {
	v := d.numbers(name, maxSize)
	if len(v) != levels || slices.ContainsFunc(v, func(w int) bool { return w != v[0] }) {
		d.fail(name, fmt.Sprint(v), fmt.Sprintf("%d equal numbers of channels, one for each level", levels))
	}
	if len(v) == 0 {
		return 1
	}
	return v[0]
}

// Step returns how many pixels of an image a number of a latent stands for, each way.
func (c *AutoencoderTinyConfig) Step() int { return 1 << (len(c.DecoderBlocks) - 1) }

// check returns an error for sizes that make no network.
func (c *AutoencoderTinyConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"AutoencoderTiny", field, fmt.Sprint(got), want}
	}
	n := len(c.DecoderBlocks)
	switch {
	case n < 1 || n > maxLevels2D || len(c.EncoderBlocks) != n:
		return bad("num_decoder_blocks", c.DecoderBlocks, fmt.Sprintf("1 to %d levels, as many as num_encoder_blocks", maxLevels2D))
	case min(c.InChannels, c.OutChannels, c.LatentChannels, c.EncoderWidth, c.DecoderWidth) < 1 || max(c.EncoderWidth, c.DecoderWidth) > maxSize:
		return bad("sizes", fmt.Sprintf("%+v", *c), "positive numbers of channels")
	case !(c.ScalingFactor > 0 && c.ScalingFactor < 1e6):
		return bad("scaling_factor", c.ScalingFactor, "a positive number")
	}
	for _, b := range slices.Concat(c.EncoderBlocks, c.DecoderBlocks) {
		if b < 1 || b > maxLayers2D {
			return bad("num_encoder_blocks", b, fmt.Sprintf("1 to %d blocks of a level", maxLayers2D))
		}
	}
	return nil
}
