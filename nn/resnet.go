package nn

import "fmt"

// resNet is a residual network of images without its head: a convolution, a maximum and
// four layers of blocks, each layer but the first at half the size of the one before.
// Source: He et al., "Deep residual learning for image recognition" (CVPR 2016), in the
// form of the library torchvision.
type resNet struct {
	conv   *conv
	norm   *imageNorm
	layers [resNetLayers][]*resNetBlock
	out    int // channels of the last layer
}

const resNetLayers = 4

// resNetKind is a published depth.
type resNetKind struct {
	blocks     [resNetLayers]int
	bottleneck bool // blocks of three convolutions, the outer ones with a single tap
}

// resNetKinds are the published networks by their names.
var resNetKinds = map[string]resNetKind{
	"resnet18": {blocks: [resNetLayers]int{2, 2, 2, 2}},
	"resnet34": {blocks: [resNetLayers]int{3, 4, 6, 3}},
	"resnet50": {blocks: [resNetLayers]int{3, 4, 6, 3}, bottleneck: true},
}

// bottleneckGrowth is how many times wider a bottleneck is outside than inside.
const bottleneckGrowth = 4

// resNetWidth is the channels of the first layer; every further one has twice as many.
const resNetWidth = 64

// resNetBlock is a residual block: two convolutions, or three of which the second has taps.
type resNetBlock struct {
	convs []*conv
	norms []*imageNorm
	down  *conv // nil for the identity
	after *imageNorm
}

// imageNorm is a normalisation in a residual network: of batches or of groups.
type imageNorm struct {
	batch *batchNorm
	group *groupNorm
}

// groupWidth is how many channels a group has.
const groupWidth = 16

func newImageNorm(p *params, name string, channels int, groups bool) *imageNorm {
	if groups {
		return &imageNorm{group: newGroupNorm(p, name, channels/groupWidth, channels, epsilon)}
	}
	return &imageNorm{batch: newBatchNorm(p, name, channels, epsilon)}
}

// imageNorm lays out a normalisation, followed by a rectifier on demand.
func (g *graph) imageNorm(l *imageNorm, in *signal, rectified bool) *signal {
	if l.batch != nil {
		return g.batchNorm(l.batch, in, rectified)
	}
	out := g.groupNorm(l.group, in, false)
	if rectified {
		return g.activate(relu, out)
	}
	return out
}

// newResNet makes a network with the names of a sequence of layers: "0" and "1" are the
// first convolution and its normalisation, "4" to "7" the layers.
func newResNet(p *params, name string, kind resNetKind, channels int, groups bool) *resNet {
	n := &resNet{conv: newUnbiased(p, name+".0", channels, resNetWidth, same(7, 2))}
	n.norm = newImageNorm(p, name+".1", resNetWidth, groups)
	in := resNetWidth
	for layer, blocks := range kind.blocks {
		for i := range blocks {
			stride := 1
			if layer > 0 && i == 0 {
				stride = 2
			}
			b := newResNetBlock(p, fmt.Sprintf("%s.%d.%d", name, 4+layer, i), kind, in, resNetWidth<<layer, stride, groups)
			n.layers[layer] = append(n.layers[layer], b)
			in = b.convs[len(b.convs)-1].out
		}
	}
	n.out = in
	return n
}

func newResNetBlock(p *params, name string, kind resNetKind, in, width, stride int, groups bool) *resNetBlock {
	b, from, out := &resNetBlock{}, in, width
	add := func(to int, k taps) {
		i := len(b.convs) + 1
		b.convs = append(b.convs, newUnbiased(p, fmt.Sprintf("%s.conv%d", name, i), from, to, k))
		b.norms = append(b.norms, newImageNorm(p, fmt.Sprintf("%s.bn%d", name, i), to, groups))
		from = to
	}
	if kind.bottleneck {
		out = bottleneckGrowth * width
		add(width, same(1, 1))
		add(width, same(3, stride))
		add(out, same(1, 1))
	} else {
		add(width, same(3, stride))
		add(width, same(3, 1))
	}
	if in != out || stride > 1 {
		b.down = newUnbiased(p, name+".downsample.0", in, out, same(1, stride))
		b.after = newImageNorm(p, name+".downsample.1", out, groups)
	}
	return b
}

// resNet lays the network out.
func (g *graph) resNet(n *resNet, x *signal) *signal {
	x = g.conv(n.conv, x)
	g.watch("stem", x)
	x = g.maxPool(pool{3, 2, 1}, g.imageNorm(n.norm, x, true))
	g.watch("pooled", x)
	for i, layer := range n.layers {
		for _, b := range layer {
			x = g.resNetBlock(b, x)
		}
		g.watch(fmt.Sprintf("layer%d", i+1), x)
	}
	return x
}

func (g *graph) resNetBlock(b *resNetBlock, x *signal) *signal {
	h := x
	for i, c := range b.convs {
		h = g.imageNorm(b.norms[i], g.conv(c, h), i < len(b.convs)-1)
	}
	if b.down != nil {
		x = g.imageNorm(b.after, g.conv(b.down, x), false)
	}
	return g.activate(relu, g.plus(h, x))
}
