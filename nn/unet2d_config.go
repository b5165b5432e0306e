package nn

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/schedule"
)

// UNet2DConfig describes a [UNet2DCondition]. [ParseConfig] reads it from the
// config.json of the library diffusers.
type UNet2DConfig struct {
	SampleSize          int // pixels of a side that the network was trained on
	InChannels          int
	OutChannels         int
	BlockOutChannels    []int  // by level
	DownAttention       []bool // by level: the level has transformers
	UpAttention         []bool // from the lowest level up
	LayersPerBlock      int    // residual blocks of a level on the way down, one more on the way up
	Heads               []int  // heads of the transformers, by level
	TransformerLayers   []int  // blocks of a transformer, by level
	CrossAttentionDim   int    // channels of the context
	GuidanceDim         int    // features of a strength of guidance that is an input, even; 0 is no such input
	NoMiddle            bool   // no block between the ways down and up, as in networks distilled to be small
	UseLinearProjection bool   // the transformers' projections are named as linear maps
	NormNumGroups       int
	NormEps             float64
	FlipSinToCos        bool
	FreqShift           float64
	Prediction          schedule.Kind // what the network predicts; the zero value is the noise
	Workers             int           // goroutines; 0 is GOMAXPROCS
}

// parseUNet2D reads a config.json. It returns a [ConfigError] for what is missing,
// contradicts itself or asks for a network of another kind.
func parseUNet2D(raw []byte) (UNet2DConfig, error) {
	d := parseDocument("UNet2DCondition", raw)
	if d.err != nil {
		return UNet2DConfig{}, d.err
	}
	d.only("_class_name", "UNet2DConditionModel")
	d.absent("block_out_channels", "[320, 640, 1280, 1280]")
	d.absent("down_block_types", `["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"]`)
	d.absent("up_block_types", `["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"]`)
	c := UNet2DConfig{
		InChannels: d.number("in_channels", 4, maxSize), OutChannels: d.number("out_channels", 4, maxSize),
		SampleSize: d.side("sample_size", 64, maxSize), BlockOutChannels: d.numbers("block_out_channels", maxSize),
		UseLinearProjection: d.flag("use_linear_projection", false), NormNumGroups: d.number("norm_num_groups", 32, maxSize),
		NormEps: d.real("norm_eps", 1e-5), FlipSinToCos: d.flag("flip_sin_to_cos", true), FreqShift: d.real("freq_shift", 0),
	}
	levels := len(c.BlockOutChannels)
	c.LayersPerBlock = d.uniform("layers_per_block", 2, levels, maxLayers2D)
	c.CrossAttentionDim = d.uniform("cross_attention_dim", 1280, levels, maxSize)
	c.DownAttention = d.attention("down_block_types", "CrossAttnDownBlock2D", "DownBlock2D", levels)
	c.UpAttention = d.attention("up_block_types", "CrossAttnUpBlock2D", "UpBlock2D", levels)
	heads := "attention_head_dim" // the number of heads, whatever its name says
	if raw := string(d.keys["num_attention_heads"]); raw != "" && raw != "null" {
		d.ignore(heads)
		heads = "num_attention_heads"
	}
	c.Heads = d.perLevel(heads, 8, levels, maxSize)
	c.TransformerLayers = d.perLevel("transformer_layers_per_block", 1, levels, maxLayers2D)
	if raw := string(d.keys["time_cond_proj_dim"]); raw != "" && raw != "null" {
		c.GuidanceDim = d.number("time_cond_proj_dim", 0, maxSize)
	}
	c.NoMiddle = string(d.keys["mid_block_type"]) == "null"
	d.only("mid_block_type", "UNetMidBlock2DCrossAttn")
	d.only("attention_type", "default")
	d.only("act_fn", "silu", "swish") // two names of one function
	d.allFalse("only_cross_attention")
	d.only("downsample_padding", 1.0)
	d.only("mid_block_scale_factor", 1.0)
	d.only("resnet_time_scale_shift", "default")
	d.only("time_embedding_type", "positional")
	d.only("conv_in_kernel", 3.0)
	d.only("conv_out_kernel", 3.0)
	d.only("resnet_out_scale_factor", 1.0)
	d.ignore("upcast_attention", "dropout")                                                                          // all arithmetic is in float32, and nothing is dropped but in training
	d.ignore("decay", "inv_gamma", "min_decay", "optimization_step", "power", "update_after_step", "use_ema_warmup") // of an average of weights, which is saved with the settings of its own
	d.atDefault("addition_embed_type_num_heads", "64")
	if err := d.end(); err != nil {
		return UNet2DConfig{}, err
	}
	return c, c.check()
}

// attention reads for every level which of two kinds of block it is.
func (d *document) attention(name, with, without string, levels int) []bool {
	out := make([]bool, levels)
	for i, w := range d.words(name, levels)[:levels] {
		if out[i] = w == with; !out[i] && w != without {
			d.fail(name, w, fmt.Sprintf("%s or %s", with, without))
		}
	}
	return out
}

func (c *UNet2DConfig) timeWidth() int { return 4 * c.BlockOutChannels[0] }

func (c *UNet2DConfig) normal() normal { return normal{c.NormNumGroups, c.NormEps} }

func (c *UNet2DConfig) transformer(level int) transformerSize {
	return transformerSize{c.CrossAttentionDim, c.TransformerLayers[level], c.NormNumGroups, c.UseLinearProjection}
}

// check returns an error for sizes that make no network.
func (c *UNet2DConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"UNet2DCondition", field, fmt.Sprint(got), want}
	}
	n := len(c.BlockOutChannels)
	switch {
	case n < 1 || n > maxLevels2D || c.LayersPerBlock > maxLayers2D:
		return bad("block_out_channels", c.BlockOutChannels, fmt.Sprintf("1 to %d levels of up to %d blocks", maxLevels2D, maxLayers2D))
	case len(c.DownAttention) != n || len(c.UpAttention) != n || len(c.Heads) != n || len(c.TransformerLayers) != n:
		return bad("levels", n, "block types, heads and transformer layers for each")
	case c.GuidanceDim != 0 && (c.GuidanceDim < 4 || c.GuidanceDim%2 != 0):
		return bad("time_cond_proj_dim", c.GuidanceDim, "an even number from 4 on")
	case min(c.InChannels, c.OutChannels, c.LayersPerBlock, c.CrossAttentionDim, c.NormNumGroups) < 1:
		return bad("sizes", fmt.Sprintf("%+v", *c), "positive numbers of channels, layers and groups")
	case !(c.NormEps > 0 && c.NormEps < 1):
		return bad("norm_eps", c.NormEps, "between 0 and 1")
	case c.BlockOutChannels[0]%2 != 0 || !(c.FreqShift >= 0 && c.FreqShift < float64(c.BlockOutChannels[0])/2):
		return bad("freq_shift", c.FreqShift, "at least 0 and below half the first of an even block_out_channels")
	case c.Prediction != schedule.Epsilon && c.Prediction != schedule.V && c.Prediction != schedule.X0:
		return bad("prediction", c.Prediction, "the noise, the velocity or the clean image")
	}
	for i, w := range c.BlockOutChannels {
		if w < 1 || w > maxSize || w%c.NormNumGroups != 0 {
			return bad("block_out_channels", w, fmt.Sprintf("positive multiples of the %d groups up to %d", c.NormNumGroups, maxSize))
		}
		if l := c.TransformerLayers[i]; l < 1 || l > maxLayers2D {
			return bad("transformer_layers_per_block", l, fmt.Sprintf("between 1 and %d", maxLayers2D))
		}
		if h := c.Heads[i]; h < 1 || w%h != 0 {
			return bad("attention_head_dim", h, fmt.Sprintf("a number of heads that divides the %d channels of level %d", w, i))
		}
	}
	return nil
}

// String names the structure in a few words.
func (c UNet2DConfig) String() string {
	var widths []string
	for _, w := range c.BlockOutChannels {
		widths = append(widths, fmt.Sprint(w))
	}
	return fmt.Sprintf("UNet2DCondition %s, %d to %d channels", strings.Join(widths, "-"), c.InChannels, c.OutChannels)
}
