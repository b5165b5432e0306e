package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// AutoencoderKL is a variational autoencoder of images. Its encoder maps an image in
// [-1, 1] to the moments of a normal distribution of latents: the means of all channels,
// then the logarithms of the variances. Its decoder maps a latent to an image. Source:
// Rombach et al., "High-resolution image synthesis with latent diffusion models" (CVPR
// 2022), with the structure and the names of AutoencoderKL of the library diffusers.
//
// Latents are those of the network itself: models of them divide by ScalingFactor before
// they are decoded, and multiply after encoding.
type AutoencoderKL struct {
	Encoder, Decoder *Map

	config  AutoencoderConfig
	encoder coder
	decoder coder
	before  *conv // of the latents, in the decoder
	after   *conv // of the moments, in the encoder
}

// coder is half an autoencoder: levels, and a middle before or after them.
type coder struct {
	name    string
	in, out *conv
	levels  []*level2d
	mid     *middleKL
	norm    *groupNorm
}

// middleKL is the lowest part of an autoencoder, two residual blocks with attention
// between them.
type middleKL struct {
	resnets [2]*resnet2d
	norm    *groupNorm
	heads   *multiHead
}

// NewAutoencoderKL returns a network whose parameters have no values yet: give them some,
// or call Init.
func NewAutoencoderKL(c AutoencoderConfig) (*AutoencoderKL, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	a := &AutoencoderKL{config: c}
	widths := c.BlockOutChannels
	step := 1 << (len(widths) - 1)
	a.Encoder = &Map{name: "encoder", shape: imagesOf("AutoencoderKL encoder", c.InChannels, step, func(h, w int) tensor.Shape {
		return tensor.Shape{2 * c.LatentChannels, h / step, w / step}
	})}
	a.Decoder = &Map{name: "decoder", shape: imagesOf("AutoencoderKL decoder", c.LatentChannels, 1, func(h, w int) tensor.Shape {
		return tensor.Shape{c.OutChannels, h * step, w * step}
	})}
	a.Encoder.params.lazy, a.Decoder.params.lazy = true, true
	a.makeEncoder(&a.Encoder.params)
	a.makeDecoder(&a.Decoder.params)
	if err := a.Encoder.start(a.wireEncoder, c.Workers); err != nil {
		return nil, err
	}
	return a, a.Decoder.start(a.wireDecoder, c.Workers)
}

func (a *AutoencoderKL) makeEncoder(p *params) {
	c := &a.config
	widths, last := c.BlockOutChannels, c.BlockOutChannels[len(c.BlockOutChannels)-1]
	e := &a.encoder
	e.name = "encoder"
	e.in = newConv2d(p, "encoder.conv_in", c.InChannels, widths[0], same(3, 1))
	in := widths[0]
	for i, out := range widths {
		l := &level2d{name: fmt.Sprintf("encoder.down_blocks.%d", i)}
		for j := range c.LayersPerBlock {
			l.resnets = append(l.resnets, newResnet2d(p, fmt.Sprintf("%s.resnets.%d", l.name, j), in, out, 0, c.normal()))
			in = out
		}
		if i < len(widths)-1 { // zeros to the right and below only
			l.resample = newConv2d(p, l.name+".downsamplers.0.conv", out, out, taps{size: 3, stride: 2, after: 1})
		}
		e.levels = append(e.levels, l)
	}
	e.mid = newMiddleKL(p, "encoder.mid_block", last, c.normal())
	e.norm = newGroupNorm(p, "encoder.conv_norm_out", c.NormNumGroups, last, 1e-6)
	e.out = newConv2d(p, "encoder.conv_out", last, 2*c.LatentChannels, same(3, 1))
	a.after = newConv2d(p, "quant_conv", 2*c.LatentChannels, 2*c.LatentChannels, same(1, 1))
}

func (a *AutoencoderKL) makeDecoder(p *params) {
	c := &a.config
	widths, last := c.BlockOutChannels, c.BlockOutChannels[len(c.BlockOutChannels)-1]
	d := &a.decoder
	d.name = "decoder"
	d.in = newConv2d(p, "decoder.conv_in", c.LatentChannels, last, same(3, 1))
	in := last
	for i := range widths {
		out := widths[len(widths)-1-i]
		l := &level2d{name: fmt.Sprintf("decoder.up_blocks.%d", i)}
		for j := range c.LayersPerBlock + 1 {
			l.resnets = append(l.resnets, newResnet2d(p, fmt.Sprintf("%s.resnets.%d", l.name, j), in, out, 0, c.normal()))
			in = out
		}
		if i < len(widths)-1 {
			l.resample = newConv2d(p, l.name+".upsamplers.0.conv", out, out, enlarged)
		}
		d.levels = append(d.levels, l)
	}
	d.mid = newMiddleKL(p, "decoder.mid_block", last, c.normal())
	d.norm = newGroupNorm(p, "decoder.conv_norm_out", c.NormNumGroups, widths[0], 1e-6)
	d.out = newConv2d(p, "decoder.conv_out", widths[0], c.OutChannels, same(3, 1))
	a.before = newConv2d(p, "post_quant_conv", c.LatentChannels, c.LatentChannels, same(1, 1))
}

func newMiddleKL(p *params, name string, channels int, n normal) *middleKL {
	m := &middleKL{norm: newGroupNorm(p, name+".attentions.0.group_norm", n.groups, channels, n.eps)}
	project := func(part string) *conv { return newLinear(p, name+".attentions.0."+part, channels, channels, true) }
	m.heads = &multiHead{heads: 1, q: project("to_q"), k: project("to_k"), v: project("to_v"), out: project("to_out.0")}
	for i := range m.resnets {
		m.resnets[i] = newResnet2d(p, fmt.Sprintf("%s.resnets.%d", name, i), channels, channels, 0, n)
	}
	return m
}

// wireEncoder lays the encoder out.
func (a *AutoencoderKL) wireEncoder(k key) *plan {
	g := newGraph(k)
	e := &a.encoder
	x := g.conv(e.in, g.enterImage(0, k.size.height, k.size.width, a.config.InChannels, true))
	g.watch("encoder.conv_in", x)
	for _, l := range e.levels {
		x, _ = g.levelDown(l, x, nil, nil)
	}
	x = g.middleKL(e.mid, "encoder.mid_block", x)
	x = g.conv(e.out, g.groupNorm(e.norm, x, true))
	g.leaveImage(0, g.conv(a.after, x))
	return g.finish()
}

// wireDecoder lays the decoder out.
func (a *AutoencoderKL) wireDecoder(k key) *plan {
	g := newGraph(k)
	d := &a.decoder
	z := g.enterImage(0, k.size.height, k.size.width, a.config.LatentChannels, true)
	x := g.conv(d.in, g.conv(a.before, z))
	g.watch("decoder.conv_in", x)
	x = g.middleKL(d.mid, "decoder.mid_block", x)
	for _, l := range d.levels {
		x, _ = g.levelUp(l, x, nil, nil, nil)
	}
	g.leaveImage(0, g.conv(d.out, g.normThenSiLU(d.norm, "decoder.conv_norm_out", x)))
	return g.finish()
}

// normThenSiLU lays out a normalisation whose result has a name, and SiLU.
func (g *graph) normThenSiLU(l *groupNorm, name string, x *signal) *signal {
	if g.purpose != observing {
		return g.groupNorm(l, x, true)
	}
	x = g.groupNorm(l, x, false)
	g.watch(name, x)
	return g.activate(silu, x)
}

func (g *graph) middleKL(m *middleKL, name string, x *signal) *signal {
	x = g.resnet(m.resnets[0], x, nil)
	n := g.groupNorm(m.norm, x, false)
	x = g.convPlus(m.heads.out, g.look(m.heads, n, n), x)
	g.watch(name+".attentions.0", x)
	x = g.resnet(m.resnets[1], x, nil)
	g.watch(name, x)
	return x
}

// Config returns what the network was made from.
func (a *AutoencoderKL) Config() AutoencoderConfig { return a.config }

// Params returns the parameters of encoder and decoder.
func (a *AutoencoderKL) Params() []*Param {
	return append(append([]*Param(nil), a.Encoder.Params()...), a.Decoder.Params()...)
}

// Refresh is called after the data of parameters have changed.
func (a *AutoencoderKL) Refresh() {
	a.Encoder.Refresh()
	a.Decoder.Refresh()
}

// Init draws new parameters from the field, as PyTorch does by default.
func (a *AutoencoderKL) Init(f noise.Field) {
	a.Encoder.Init(f.Sub("encoder"))
	a.Decoder.Init(f.Sub("decoder"))
}

// oldNames are those of the attention in files of before 2023.
var oldNames = map[string]string{"query": "to_q", "key": "to_k", "value": "to_v", "proj_attn": "to_out.0"}
