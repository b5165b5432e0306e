package nn

import "fmt"

// multiHead is attention with its four linear maps.
type multiHead struct {
	heads        int
	q, k, v, out *conv
}

// newMultiHead makes attention from rows of channels to rows of context.
func newMultiHead(p *params, name string, channels, context, heads int) *multiHead {
	return &multiHead{
		heads: heads,
		q:     newLinear(p, name+".to_q", channels, channels, false),
		k:     newLinear(p, name+".to_k", context, channels, false),
		v:     newLinear(p, name+".to_v", context, channels, false),
		out:   newLinear(p, name+".to_out.0", channels, channels, true),
	}
}

// look lays out attention from the rows of x to those of context, but for the last map.
func (g *graph) look(l *multiHead, x, context *signal) *signal {
	q, k, v := g.conv(l.q, x), g.conv(l.k, context), g.conv(l.v, context)
	return g.attend(l.heads, false, q, k, v)
}

// watchedPlus lays out the sum of a linear map and another signal. The tests see the map alone.
func (g *graph) watchedPlus(c *conv, name string, in, other *signal) *signal {
	if g.purpose != observing {
		return g.convPlus(c, in, other)
	}
	mapped := g.conv(c, in)
	g.watch(name, mapped)
	return g.plus(mapped, other)
}

// transformer2d lets the pixels of an image look at one another and at a context.
type transformer2d struct {
	name    string
	norm    *groupNorm
	in, out *conv
	blocks  []transformerBlock
}

// transformerBlock is self-attention, cross-attention and a gated map of every pixel.
type transformerBlock struct {
	norm          [3]*layerNorm
	self, cross   *multiHead
	first, second *conv
}

// transformerSize says how the transformers of a network are made.
type transformerSize struct {
	context, blocks, groups int
	linear                  bool // projections are linear maps by name, not convolutions
}

func newTransformer2d(p *params, name string, channels, heads int, size transformerSize) *transformer2d {
	project := func(name string) *conv {
		if size.linear {
			return newLinear(p, name, channels, channels, true)
		}
		return newConv2d(p, name, channels, channels, same(1, 1))
	}
	l := &transformer2d{name: name, norm: newGroupNorm(p, name+".norm", size.groups, channels, 1e-6)}
	l.in = project(name + ".proj_in")
	for i := range size.blocks {
		block := fmt.Sprintf("%s.transformer_blocks.%d", name, i)
		l.blocks = append(l.blocks, newTransformerBlock(p, block, channels, heads, size.context))
	}
	l.out = project(name + ".proj_out")
	return l
}

func newTransformerBlock(p *params, name string, channels, heads, context int) transformerBlock {
	var b transformerBlock
	b.norm[0] = newLayerNorm(p, name+".norm1", channels, 1e-5)
	b.self = newMultiHead(p, name+".attn1", channels, channels, heads)
	b.norm[1] = newLayerNorm(p, name+".norm2", channels, 1e-5)
	b.cross = newMultiHead(p, name+".attn2", channels, context, heads)
	b.norm[2] = newLayerNorm(p, name+".norm3", channels, 1e-5)
	b.first = newLinear(p, name+".ff.net.0.proj", channels, 8*channels, true)
	b.second = newLinear(p, name+".ff.net.2", 4*channels, channels, true)
	return b
}

// transformer lays out a transformer.
func (g *graph) transformer(l *transformer2d, x, context *signal) *signal {
	h := g.conv(l.in, g.groupNorm(l.norm, x, false))
	for i := range l.blocks {
		h = g.transformerBlock(&l.blocks[i], fmt.Sprintf("%s.transformer_blocks.%d", l.name, i), h, context)
	}
	return g.convPlus(l.out, h, x)
}

func (g *graph) transformerBlock(b *transformerBlock, name string, x, context *signal) *signal {
	n := g.layerNorm(b.norm[0], x)
	x = g.watchedPlus(b.self.out, name+".attn1", g.look(b.self, n, n), x)
	x = g.watchedPlus(b.cross.out, name+".attn2", g.look(b.cross, g.layerNorm(b.norm[1], x), context), x)
	return g.watchedPlus(b.second, name+".ff", g.convGated(b.first, g.layerNorm(b.norm[2], x)), x)
}
