package portraits

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"strings"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/train"
	"github.com/go-pcd/pcd/weights"
)

// hintWidths are the channels of the network that reads the edges: each but the first
// halves them, as many as it takes down to the size of a latent.
var hintWidths = []int{8, 16, 24, 32, 32}

// adapterConfig is the network of the recipe beside a denoising network of latents of some
// pixels a side, as the library diffusers runs it.
func (r Recipe) adapterConfig(base nn.UNet2DConfig, side int) nn.ControlNetXSConfig {
	return nn.ControlNetXSConfig{
		BlockOutChannels: r.Widths, HintChannels: hintWidths[:bits.Len(uint(r.Size/side))], ConditioningChannels: 3, Heads: base.Heads, MaxNormNumGroups: 32,
		TransformerLayers: base.TransformerLayers, UseLinearProjection: base.UseLinearProjection, TimeEmbeddingMix: 1, Library: true,
	}
}

// newAdapter prepares the training of an adapter: its base, the denoising network that was
// trained before, learns nothing.
func newAdapter(ctx context.Context, from folders, r Recipe, progress Progress) (*experiment.Training, error) {
	base, d, err := openDenoiser(from)
	if err != nil {
		return nil, err
	}
	if r.Terminal != 0 && r.Terminal != d.Recipe.Terminal {
		return nil, &experiment.SpecError{Err: fmt.Errorf("images: the recipe of the %s sets \"terminal\" to %g, and the denoiser that it steers has %g: leave it out", r.Part, r.Terminal, d.Recipe.Terminal)}
	}
	r.Terminal = d.Recipe.Terminal
	digest, err := modelfile.Digest(nil, base.Params())
	if err != nil {
		return nil, err
	}
	shape, err := r.latentShape(from)
	if err != nil {
		return nil, err
	}
	c := r.adapterConfig(base.Config(), shape[1])
	net, err := nn.NewControlNetXS(base, c)
	if err != nil {
		return nil, err
	}
	net.Init(r.seed())
	trained, err := train.OfAdapter(net, shape[1], shape[2], tokens)
	if err != nil {
		return nil, err
	}
	p, err := r.prompted(ctx, from, progress)
	if err != nil {
		return nil, err
	}
	data, err := edged(ctx, p.Latents, progress)
	if err != nil {
		return nil, err
	}
	data.Note("steers " + digest)
	o := train.NoiseMSE{Net: trained, Data: data, Schedule: p.schedule, Dropout: r.Dropout, Null: p.nothing, Emphasis: r.Emphasis}
	return begin(from.dir, o, Description{Recipe: r, Scale: p.scale, Source: data.Identity()}, func(d Description) error {
		return savePart(r.Part.Dir(from.dir), adapterSettings(c, base.Config()), d, net.Params(), weights.F32, weightsFile)
	})
}

// adapterSettings is the config.json of an adapter.
func adapterSettings(c nn.ControlNetXSConfig, base nn.UNet2DConfig) map[string]any {
	return map[string]any{
		"_class_name": "ControlNetXSAdapter", "conditioning_channels": c.ConditioningChannels, "conditioning_channel_order": "rgb",
		"conditioning_embedding_out_channels": c.HintChannels, "time_embedding_mix": c.TimeEmbeddingMix,
		"learn_time_embedding": c.LearnTimeEmbedding, "num_attention_heads": c.Heads, "block_out_channels": c.BlockOutChannels,
		"base_block_out_channels": base.BlockOutChannels, "cross_attention_dim": base.CrossAttentionDim,
		"down_block_types": blocks(base.DownAttention, "CrossAttnDownBlock2D", "DownBlock2D"), "sample_size": base.SampleSize,
		"transformer_layers_per_block": c.TransformerLayers, "upcast_attention": false,
		"max_norm_num_groups": c.MaxNormNumGroups, "use_linear_projection": c.UseLinearProjection,
	}
}

// openDenoiser reads the denoising network. What it predicts is not among its settings, but
// in those of the scheduler beside it: its description says so, too.
func openDenoiser(dir folders) (*nn.UNet2DCondition, Description, error) {
	net, d, err := openPart[*nn.UNet2DCondition](dir, Denoiser)
	if err != nil {
		return nil, d, err
	}
	return net, d, net.Predicts(d.Recipe.kind())
}

func openAdapter(dir folders, base *nn.UNet2DCondition) (*nn.ControlNetXS, Description, error) {
	return openWith(dir, Adapter, func(p *modelfile.Part) (*nn.ControlNetXS, error) { return p.Adapter(base) })
}

// checkAdapter returns an error for an adapter of another denoising network.
func (t *trained) checkAdapter() error {
	if t.adapter == nil || t.together(Denoiser, Adapter) {
		return nil
	}
	digest, err := modelfile.Digest(nil, t.unet.Params())
	if err == nil && !strings.HasSuffix(t.about[Adapter].Source, digest) {
		err = fmt.Errorf("images: the %s steers another denoising network: train it again", Adapter)
	}
	return err
}

// untrained reports whether an error says that an optional part is not there.
func untrained(err error) bool {
	var missing *MissingError
	return errors.As(err, &missing) && missing.Part.optional() && errors.Is(err, fs.ErrNotExist)
}
