package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Classifier is a ResNet-18 with a head of two linear maps for every question about an
// image. What comes out is [logits]: those of the heads one after the other. Source: He
// et al., "Deep residual learning for image recognition" (CVPR 2016), with the names of
// the library torchvision.
type Classifier struct {
	Map
	config ClassifierConfig
	conv1  *conv
	bn1    *batchNorm
	blocks []*basicBlock
	heads  []head
}

// basicBlock is a residual block of two convolutions.
type basicBlock struct {
	name         string
	conv1, conv2 *conv
	bn1, bn2     *batchNorm
	down         *conv // nil for the identity
	downNorm     *batchNorm
}

// head answers one question.
type head struct{ first, second *conv }

// NewClassifier returns a network whose parameters have no values yet: give them some, or
// call Init.
func NewClassifier(c ClassifierConfig) (*Classifier, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &Classifier{config: c}
	n.name = "Classifier"
	out := tensor.Shape{c.logits()}
	n.shape = imagesOf("Classifier", c.InChannels, 1, func(int, int) tensor.Shape { return out })
	n.params.lazy = true
	p := &n.params
	n.conv1 = newUnbiased(p, "backbone.conv1", c.InChannels, c.Width, same(7, 2))
	n.bn1 = newBatchNorm(p, "backbone.bn1", c.Width, 1e-5)
	in := c.Width
	for layer := range classifierLayers {
		out := c.Width << layer
		for i := range 2 {
			stride := 1
			if layer > 0 && i == 0 {
				stride = 2
			}
			n.blocks = append(n.blocks, newBasicBlock(p, fmt.Sprintf("layer%d.%d", layer+1, i), in, out, stride))
			in = out
		}
	}
	for _, h := range c.Heads {
		n.heads = append(n.heads, head{
			newLinear(p, "heads."+h.Name+".lin1", in, h.Hidden, true),
			newLinear(p, "heads."+h.Name+".lin2", h.Hidden, len(h.Classes), true)})
	}
	return n, n.start(n.wire, c.Workers)
}

func newBasicBlock(p *params, name string, in, out, stride int) *basicBlock {
	b := &basicBlock{name: name}
	full := "backbone." + name
	b.conv1 = newUnbiased(p, full+".conv1", in, out, same(3, stride))
	b.bn1 = newBatchNorm(p, full+".bn1", out, 1e-5)
	b.conv2 = newUnbiased(p, full+".conv2", out, out, same(3, 1))
	b.bn2 = newBatchNorm(p, full+".bn2", out, 1e-5)
	if in != out || stride > 1 {
		b.down = newUnbiased(p, full+".downsample.0", in, out, same(1, stride))
		b.downNorm = newBatchNorm(p, full+".downsample.1", out, 1e-5)
	}
	return b
}

// wire lays the network out.
func (n *Classifier) wire(k key) *plan {
	g := newGraph(k)
	x := n.trunk(g, func(layer int, x *signal) { g.watch(fmt.Sprintf("layer%d", layer+1), x) })
	x = g.average(x)
	g.watch("features", x)
	var out *signal
	for _, h := range n.heads {
		y := g.conv(h.second, g.activate(relu, g.conv(h.first, x)))
		if out == nil {
			out = y
		} else {
			out = g.concat(out, y)
		}
	}
	g.leaveRows(0, out)
	return g.finish()
}

// trunk lays out the network below its heads. done is called with what every layer
// leaves.
func (n *Classifier) trunk(g *graph, done func(layer int, x *signal)) *signal {
	x := g.conv(n.conv1, g.enterImage(0, g.key.size.height, g.key.size.width, n.config.InChannels, true))
	g.watch("conv1", x)
	x = g.maxPool(pool{3, 2, 1}, g.batchNorm(n.bn1, x, true))
	for i, b := range n.blocks {
		x = g.basicBlock(b, x)
		if i%2 == 1 {
			done(i/2, x)
		}
	}
	return x
}

func (g *graph) basicBlock(b *basicBlock, x *signal) *signal {
	h := g.batchNorm(b.bn1, g.conv(b.conv1, x), true)
	h = g.batchNorm(b.bn2, g.conv(b.conv2, h), false)
	if b.down != nil {
		x = g.batchNorm(b.downNorm, g.conv(b.down, x), false)
	}
	return g.activate(relu, g.plus(h, x))
}

// Config returns what the network was made from.
func (n *Classifier) Config() ClassifierConfig { return n.config }

// Buffers returns the running statistics of the batch normalisations: they belong to the
// state dict, and have no gradients.
func (n *Classifier) Buffers() []*Param { return n.params.buffers }

// Logits returns where the logits of a head are in what comes out.
func (n *Classifier) Logits(head int) (from, to int) {
	for i, h := range n.config.Heads {
		to = from + len(h.Classes)
		if i == head {
			return from, to
		}
		from = to
	}
	panic(fmt.Sprintf("nn: head %d of %d", head, len(n.config.Heads)))
}
