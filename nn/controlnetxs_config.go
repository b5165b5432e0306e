package nn

import (
	"fmt"
	"math"
)

// ControlNetXSConfig describes a [ControlNetXS]. [ParseConfig] reads it from
// the config.json of the library diffusers.
type ControlNetXSConfig struct {
	BlockOutChannels     []int // of the small network, by level
	HintChannels         []int // of the network that reads the hint; each but the first halves it
	ConditioningChannels int   // of the hint
	Heads                []int // of the transformers, by level
	MaxNormNumGroups     int   // a normalisation has the largest divisor of its channels up to it as groups
	TransformerLayers    []int
	UseLinearProjection  bool
	LearnTimeEmbedding   bool    // the adapter has a time embedding of its own,
	TimeEmbeddingMix     float64 // of which this share counts, to the power 0.3
	// Library runs the networks as the library does, and not as the authors do: the
	// normalisations of the base's blocks and of the middle have 1e-6 instead of 1e-5, the
	// groups of a level are bounded by those of its first block, and those of the middle by 32.
	Library bool
	Workers int // goroutines; 0 is GOMAXPROCS
}

// parseControlNetXS reads a config.json. It returns a [ConfigError] for what is
// missing, contradicts itself or asks for a network of another kind.
func parseControlNetXS(raw []byte) (ControlNetXSConfig, error) {
	d := parseDocument("ControlNetXS", raw)
	if d.err != nil {
		return ControlNetXSConfig{}, d.err
	}
	d.only("_class_name", "ControlNetXSAdapter")
	c := ControlNetXSConfig{
		BlockOutChannels: d.numbers("block_out_channels", maxSize), HintChannels: d.numbers("conditioning_embedding_out_channels", maxSize),
		ConditioningChannels: d.number("conditioning_channels", 3, maxSize), MaxNormNumGroups: d.number("max_norm_num_groups", 32, maxSize),
		UseLinearProjection: d.flag("use_linear_projection", true), LearnTimeEmbedding: d.flag("learn_time_embedding", false),
		TimeEmbeddingMix: d.real("time_embedding_mix", 1), Library: true,
	}
	levels := len(c.BlockOutChannels)
	c.Heads = d.perLevel("num_attention_heads", 4, levels, maxSize)
	c.TransformerLayers = d.perLevel("transformer_layers_per_block", 1, levels, maxLayers2D)
	d.only("conditioning_channel_order", "rgb")
	// The base says these, and the tensors would not fit if they were others.
	d.ignore("base_block_out_channels", "cross_attention_dim", "down_block_types", "sample_size", "upcast_attention")
	if err := d.end(); err != nil {
		return ControlNetXSConfig{}, err
	}
	return c, nil
}

// reduction is how many pixels of the hint a pixel of a sample has each way.
func (c *ControlNetXSConfig) reduction() int { return 1 << (len(c.HintChannels) - 1) }

// groupsOf returns the largest divisor of the channels that is no more than most.
func groupsOf(channels, most int) int {
	for g := min(most, channels); ; g-- {
		if channels%g == 0 {
			return g
		}
	}
}

// mostGroups returns the bound of the groups of a level whose first block takes some
// channels.
func (c *ControlNetXSConfig) mostGroups(channels int) int {
	if c.Library {
		return groupsOf(channels, c.MaxNormNumGroups)
	}
	return c.MaxNormNumGroups
}

// middleGroups is that of the middle.
func (c *ControlNetXSConfig) middleGroups(channels int) int {
	if c.Library {
		return groupsOf(channels, 32)
	}
	return groupsOf(channels, c.MaxNormNumGroups)
}

func (c *ControlNetXSConfig) transformer(base *UNet2DConfig, level, groups int) transformerSize {
	return transformerSize{base.CrossAttentionDim, c.TransformerLayers[level], groups, c.UseLinearProjection}
}

// epsilon returns that of the normalisations of the base's blocks and the middle.
func (c *ControlNetXSConfig) epsilon(otherwise float64) float64 {
	if c.Library {
		return 1e-6
	}
	return otherwise
}

// timeShare is how much the adapter's own time embedding counts.
func (c *ControlNetXSConfig) timeShare() float64 { return math.Pow(c.TimeEmbeddingMix, 0.3) }

// check returns an error for sizes that make no adapter of the base.
func (c *ControlNetXSConfig) check(base *UNet2DCondition) error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"ControlNetXS", field, fmt.Sprint(got), want}
	}
	levels := len(base.config.BlockOutChannels)
	switch {
	case len(c.BlockOutChannels) != levels || len(c.Heads) != levels || len(c.TransformerLayers) != levels:
		return bad("block_out_channels", c.BlockOutChannels, fmt.Sprintf("a number, heads and transformer layers for each of the %d levels of the base", levels))
	case len(c.HintChannels) < 1 || len(c.HintChannels) > 8 || c.ConditioningChannels < 1 || c.ConditioningChannels > maxSize:
		return bad("conditioning_embedding_out_channels", c.HintChannels, "1 to 8 numbers, and at least one channel of the hint")
	case c.MaxNormNumGroups < 1:
		return bad("max_norm_num_groups", c.MaxNormNumGroups, "at least 1")
	case !(c.TimeEmbeddingMix >= 0 && c.TimeEmbeddingMix <= 1):
		return bad("time_embedding_mix", c.TimeEmbeddingMix, "between 0 and 1")
	}
	for i, w := range c.BlockOutChannels {
		if w < 1 || w > maxSize || c.Heads[i] < 1 || w%c.Heads[i] != 0 {
			return bad("block_out_channels", w, fmt.Sprintf("positive multiples of the %d heads of level %d", c.Heads[i], i))
		}
	}
	for _, w := range c.HintChannels {
		if w < 1 || w > maxSize {
			return bad("conditioning_embedding_out_channels", w, fmt.Sprintf("between 1 and %d", maxSize))
		}
	}
	return nil
}
