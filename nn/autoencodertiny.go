package nn

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// AutoencoderTiny is a small autoencoder of images without normalisation and attention, a
// tenth of the work of [AutoencoderKL] and less, for the latents of the same models: TAESD.
// Its encoder maps an image in [-1, 1] to a latent as models see it, its decoder maps such
// a latent to an image. Source: Bohan, "Tiny AutoEncoder for Stable Diffusion" (2023), with
// the structure and the names of AutoencoderTiny of the library diffusers.
type AutoencoderTiny struct {
	Encoder, Decoder *Map

	config  AutoencoderTinyConfig
	encoder []tinyLayer
	decoder []tinyLayer
}

// tinyLayer is a convolution, or a block of three with a way past them.
type tinyLayer struct {
	convs []*conv
	relu  bool // after a convolution alone
}

// NewAutoencoderTiny returns a network whose parameters have no values yet: give them
// some, or call Init.
func NewAutoencoderTiny(c AutoencoderTinyConfig) (*AutoencoderTiny, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	a := &AutoencoderTiny{config: c}
	step := c.Step()
	a.Encoder = &Map{name: "encoder", shape: imagesOf("AutoencoderTiny encoder", c.InChannels, step, func(h, w int) tensor.Shape {
		return tensor.Shape{c.LatentChannels, h / step, w / step}
	})}
	a.Decoder = &Map{name: "decoder", shape: imagesOf("AutoencoderTiny decoder", c.LatentChannels, 1, func(h, w int) tensor.Shape {
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

// tinyLayers counts the layers of half a network as their names do: also those without
// parameters.
type tinyLayers struct {
	p    *params
	half string
	next int
	all  []tinyLayer
}

func (l *tinyLayers) name() string {
	l.next++
	return fmt.Sprintf("%s.layers.%d", l.half, l.next-1)
}

func (l *tinyLayers) conv(in, out int, k taps, bias bool) {
	add := newUnbiased
	if bias {
		add = newConv2d
	}
	l.all = append(l.all, tinyLayer{convs: []*conv{add(l.p, l.name(), in, out, k)}})
}

func (l *tinyLayers) blocks(n, width int) {
	for range n {
		name, b := l.name(), tinyLayer{}
		for j := range 3 {
			b.convs = append(b.convs, newConv2d(l.p, fmt.Sprintf("%s.conv.%d", name, 2*j), width, width, same(3, 1)))
		}
		l.all = append(l.all, b)
	}
}

func (a *AutoencoderTiny) makeEncoder(p *params) {
	c, l := &a.config, &tinyLayers{p: p, half: "encoder"}
	for i, n := range c.EncoderBlocks {
		if i == 0 {
			l.conv(c.InChannels, c.EncoderWidth, same(3, 1), true)
		} else {
			l.conv(c.EncoderWidth, c.EncoderWidth, same(3, 2), false)
		}
		l.blocks(n, c.EncoderWidth)
	}
	l.conv(c.EncoderWidth, c.LatentChannels, same(3, 1), true)
	a.encoder = l.all
}

func (a *AutoencoderTiny) makeDecoder(p *params) {
	c, l := &a.config, &tinyLayers{p: p, half: "decoder"}
	l.conv(c.LatentChannels, c.DecoderWidth, same(3, 1), true)
	l.all[0].relu = true
	l.next++ // the rectifier
	for i, n := range c.DecoderBlocks {
		l.blocks(n, c.DecoderWidth)
		if i < len(c.DecoderBlocks)-1 {
			l.next++ // the enlargement, which the convolution does
			l.conv(c.DecoderWidth, c.DecoderWidth, enlarged, false)
		}
	}
	l.conv(c.DecoderWidth, c.OutChannels, same(3, 1), true)
	a.decoder = l.all
}

// The functions at the ends. Latents are limited smoothly to [-3, 3]; the layers work on
// pixels in [0, 1].
var (
	limited = activation{
		func(dst, x []float32) {
			for i, v := range x {
				dst[i] = float32(3 * math.Tanh(float64(v)/3))
			}
		},
		func(dst, x, dy []float32) {
			for i, v := range x {
				t := math.Tanh(float64(v) / 3)
				dst[i] = float32((1 - t*t) * float64(dy[i]))
			}
		},
	}
	toUnit   = straight(0.5, 0.5)
	fromUnit = straight(2, -1)
)

// straight is the function a x + b.
func straight(a, b float32) activation {
	return activation{
		func(dst, x []float32) {
			for i, v := range x {
				dst[i] = a*v + b
			}
		},
		func(dst, _, dy []float32) {
			for i, d := range dy {
				dst[i] = a * d
			}
		},
	}
}

// wireEncoder lays the encoder out.
func (a *AutoencoderTiny) wireEncoder(k key) *plan {
	g := newGraph(k)
	x := g.activate(toUnit, g.enterImage(0, k.size.height, k.size.width, a.config.InChannels, true))
	g.leaveImage(0, g.tiny(a.encoder, x))
	return g.finish()
}

// wireDecoder lays the decoder out.
func (a *AutoencoderTiny) wireDecoder(k key) *plan {
	g := newGraph(k)
	z := g.activate(limited, g.enterImage(0, k.size.height, k.size.width, a.config.LatentChannels, true))
	g.leaveImage(0, g.activate(fromUnit, g.tiny(a.decoder, z)))
	return g.finish()
}

// tiny lays out layers of a tiny autoencoder.
func (g *graph) tiny(layers []tinyLayer, x *signal) *signal {
	for _, l := range layers {
		if len(l.convs) == 1 {
			if l.relu {
				x = g.convRectified(l.convs[0], x, nil)
			} else {
				x = g.conv(l.convs[0], x)
			}
			continue
		}
		y := g.convRectified(l.convs[0], x, nil)
		y = g.convRectified(l.convs[1], y, nil)
		x = g.convRectified(l.convs[2], y, x)
	}
	return x
}

// Config returns what the network was made from.
func (a *AutoencoderTiny) Config() AutoencoderTinyConfig { return a.config }

// Params returns the parameters of encoder and decoder.
func (a *AutoencoderTiny) Params() []*Param {
	return append(append([]*Param(nil), a.Encoder.Params()...), a.Decoder.Params()...)
}

// Refresh is called after the data of parameters have changed.
func (a *AutoencoderTiny) Refresh() {
	a.Encoder.Refresh()
	a.Decoder.Refresh()
}

// Init draws new parameters from the field, as PyTorch does by default.
func (a *AutoencoderTiny) Init(f noise.Field) {
	a.Encoder.Init(f.Sub("encoder"))
	a.Decoder.Init(f.Sub("decoder"))
}
