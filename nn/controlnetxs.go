package nn

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// ControlNetXS is a U-Net that a small network beside it steers by a hint, an image of
// eight times the size: after every block of the way down the two exchange what they see,
// and on the way up the small one is added to the skips of the large one. Its parameters
// are those of the small network; the base keeps its own. Source: Zavadski, Feiden and
// Rother, "ControlNet-XS: rethinking the control of text-to-image diffusion models as
// feedback-control systems" (ECCV 2024), with the names of ControlNetXSAdapter of the
// library diffusers.
type ControlNetXS struct {
	engine
	config ControlNetXSConfig
	base   *UNet2DCondition
	hint   []*conv
	in     *conv
	inBase *conv // from the control's first signal to the base
	time   *timeEmbedding
	down   []*controlLevel
	mid    *middle2d
	toMid  *conv // from the base to the control before the middle
	midOut *conv // and back after it
	up     [][]*conv
	own    map[*Param]bool
}

// controlLevel is a level of the control's way down, with the maps between the networks
// for each of its blocks and its resampling.
type controlLevel struct {
	level2d
	toControl, toBase []*conv
}

// NewControlNetXS returns an adapter of a base, whose parameters have no values yet: give
// them some, or call Init.
func NewControlNetXS(base *UNet2DCondition, c ControlNetXSConfig) (*ControlNetXS, error) {
	if base.config.NoMiddle {
		return nil, &ConfigError{"ControlNetXS", "mid_block_type", "null", "a base that has a middle: the adapter steers it"}
	}
	if err := c.check(base); err != nil {
		return nil, err
	}
	n := &ControlNetXS{config: c, base: base, own: map[*Param]bool{}}
	n.params.lazy = true
	p := &n.params
	n.makeHint(p)
	widths, bases := c.BlockOutChannels, base.config.BlockOutChannels
	n.in = newConv2d(p, "conv_in", base.config.InChannels, widths[0], same(3, 1))
	n.inBase = newConv2d(p, "control_to_base_for_conv_in", widths[0], bases[0], same(1, 1))
	if c.LearnTimeEmbedding {
		n.time = newTimeEmbedding(p, base.time.features, base.config.timeWidth())
	}
	skips := n.makeDown(p)
	n.makeMiddle(p)
	n.makeUp(p, skips)
	for _, q := range p.list {
		n.own[q] = true
	}
	return n, n.start(n.wire, c.Workers)
}

// Init draws new parameters from the field, but for the maps between the networks and the
// last of the hint, which are zero: the adapter begins as its base, and what it learns
// comes in by and by. The weights before the last of the hint have a variance of 4/fan-in:
// they follow one another without a normalisation, every activation halves small signals,
// and with the usual third of 1/fan-in nothing of the hint would reach the end.
func (n *ControlNetXS) Init(f noise.Field) {
	n.params.initialise(f)
	for _, c := range n.hint {
		for i := range c.weight.Data {
			c.weight.Data[i] *= float32(2 * math.Sqrt(3))
		}
	}
	for _, c := range n.between() {
		clear(c.weight.Data)
		clear(c.bias.Data)
	}
	n.Refresh()
}

// between returns the maps that are zero at first.
func (n *ControlNetXS) between() []*conv {
	all := []*conv{n.hint[len(n.hint)-1], n.inBase, n.toMid, n.midOut}
	for _, l := range n.down {
		all = append(append(all, l.toControl...), l.toBase...)
	}
	return append(all, slices.Concat(n.up...)...)
}

// Config returns what the adapter was made from.
func (n *ControlNetXS) Config() ControlNetXSConfig { return n.config }

// Base returns the network that is steered.
func (n *ControlNetXS) Base() *UNet2DCondition { return n.base }

// makeHint makes the network that brings the hint to the size of the samples.
func (n *ControlNetXS) makeHint(p *params) {
	c := &n.config
	const name = "controlnet_cond_embedding."
	widths := c.HintChannels
	n.hint = append(n.hint, newConv2d(p, name+"conv_in", c.ConditioningChannels, widths[0], same(3, 1)))
	for i := range len(widths) - 1 {
		n.hint = append(n.hint,
			newConv2d(p, fmt.Sprintf("%sblocks.%d", name, 2*i), widths[i], widths[i], same(3, 1)),
			newConv2d(p, fmt.Sprintf("%sblocks.%d", name, 2*i+1), widths[i], widths[i+1], same(3, 2)))
	}
	n.hint = append(n.hint, newConv2d(p, name+"conv_out", widths[len(widths)-1], c.BlockOutChannels[0], same(3, 1)))
}

// makeDown makes the way down and returns the channels of the control's skips.
func (n *ControlNetXS) makeDown(p *params) (skips []int) {
	c, b := &n.config, &n.base.config
	in, baseIn := c.BlockOutChannels[0], b.BlockOutChannels[0]
	skips = []int{in}
	for i, out := range c.BlockOutChannels {
		l := &controlLevel{}
		l.name = fmt.Sprintf("down_blocks.%d", i)
		baseOut, most := b.BlockOutChannels[i], c.mostGroups(in+baseIn)
		exchange := func(from, to, channels int) {
			at := len(l.toControl)
			l.toControl = append(l.toControl, newConv2d(p, fmt.Sprintf("%s.base_to_ctrl.%d", l.name, at), from, from, same(1, 1)))
			l.toBase = append(l.toBase, newConv2d(p, fmt.Sprintf("%s.ctrl_to_base.%d", l.name, at), channels, to, same(1, 1)))
			skips = append(skips, channels)
		}
		for j := range b.LayersPerBlock {
			exchange(baseIn, baseOut, out)
			l.resnets = append(l.resnets, newGroupedResnet(p, fmt.Sprintf("%s.resnets.%d", l.name, j), in+baseIn, out, b.timeWidth(), groupsOf(in+baseIn, most), groupsOf(out, most), 1e-5))
			if b.DownAttention[i] {
				l.attentions = append(l.attentions, newTransformer2d(p, fmt.Sprintf("%s.attentions.%d", l.name, j), out, c.Heads[i], c.transformer(b, i, groupsOf(out, most))))
			}
			in, baseIn = out, baseOut
		}
		if i < len(c.BlockOutChannels)-1 {
			exchange(baseIn, baseOut, out)
			l.resample = newConv2d(p, l.name+".downsamplers.conv", in+baseIn, out, same(3, 2))
		}
		n.down = append(n.down, l)
	}
	return skips
}

// makeMiddle makes the lowest part.
func (n *ControlNetXS) makeMiddle(p *params) {
	c, b := &n.config, &n.base.config
	last := len(c.BlockOutChannels) - 1
	width, base, time := c.BlockOutChannels[last], b.BlockOutChannels[last], b.timeWidth()
	const name = "mid_block.midblock"
	groups := c.middleGroups(gcd(width, width+base))
	size := c.transformer(b, last, groups)
	n.mid = &middle2d{attentions: []*transformer2d{newTransformer2d(p, name+".attentions.0", width, c.Heads[last], size)}}
	for i, in := range []int{width + base, width} {
		n.mid.resnets = append(n.mid.resnets, newGroupedResnet(p, fmt.Sprintf("%s.resnets.%d", name, i), in, width, time, groups, groups, c.epsilon(1e-5)))
	}
	n.toMid = newConv2d(p, "mid_block.base_to_ctrl", base, base, same(1, 1))
	n.midOut = newConv2d(p, "mid_block.ctrl_to_base", width, base, same(1, 1))
}

// makeUp makes the maps from the control's skips to the base's way up.
func (n *ControlNetXS) makeUp(p *params, skips []int) {
	b := &n.base.config
	in := b.BlockOutChannels[len(b.BlockOutChannels)-1]
	for i := range b.BlockOutChannels {
		var maps []*conv
		for j := range b.LayersPerBlock + 1 {
			maps = append(maps, newConv2d(p, fmt.Sprintf("up_connections.%d.ctrl_to_base.%d", i, j), skips[len(skips)-1], in, same(1, 1)))
			skips = skips[:len(skips)-1]
			in = b.BlockOutChannels[len(b.BlockOutChannels)-1-i]
		}
		n.up = append(n.up, maps)
	}
}

// newGroupedResnet makes a block whose normalisations have groups of their own.
func newGroupedResnet(p *params, name string, in, out, time, groups, groupsOut int, eps float64) *resnet2d {
	l := newResnet2d(p, name, in, out, time, normal{groups, eps})
	l.norm2.groups = groupsOut
	return l
}

// withEpsilon returns the block with another epsilon in its normalisations.
func (l *resnet2d) withEpsilon(eps float64) *resnet2d {
	m, first, second := *l, *l.norm1, *l.norm2
	first.eps, second.eps = eps, eps
	m.norm1, m.norm2 = &first, &second
	return &m
}

// wire lays both networks out.
func (n *ControlNetXS) wire(k key) *plan {
	g := newGraph(k)
	g.only = n.own
	b := n.base
	x := g.enterImage(0, k.size.height, k.size.width, b.config.InChannels, true)
	context := g.enterRows(1, k.size.rows, b.config.CrossAttentionDim, k.purpose == conditioning)
	time := g.activateTime(n.wireTime(g))
	hint := g.enterImage(2, n.config.reduction()*k.size.height, n.config.reduction()*k.size.width, n.config.ConditioningChannels, false)
	control := g.plus(g.conv(n.in, x), n.wireHint(g, hint))
	x = g.steer(n.inBase, k.size.scale, g.conv(b.in, x), control)
	skips, controls := []*signal{x}, []*signal{control}
	for i, l := range n.down {
		base := *b.down[i]
		base.resnets = n.likeLibrary(base.resnets)
		s := g.controlDown(l, &base, &x, &control, time, context, k.size.scale)
		skips, controls = append(skips, s[0]...), append(controls, s[1]...)
	}
	control = g.concat(control, g.conv(n.toMid, x))
	x = g.middle(&middle2d{n.likeLibrary(b.mid.resnets), b.mid.attentions}, "", x, time, context)
	control = g.middle(n.mid, "", control, time, context)
	x = g.steer(n.midOut, k.size.scale, x, control)
	for i, l := range b.up {
		for j, block := range n.likeLibrary(l.resnets) {
			last := len(skips) - 1
			x = g.concat(g.steer(n.up[i][j], k.size.scale, x, controls[last]), skips[last])
			skips, controls = skips[:last], controls[:last]
			x = g.resnet(block, x, time)
			if l.attentions != nil {
				x = g.transformer(l.attentions[j], x, context)
			}
		}
		if l.resample != nil {
			x = g.enlarge(l.resample, x, skips[len(skips)-1])
		}
	}
	g.leaveImage(0, g.conv(b.out, g.groupNorm(b.norm, x, true)))
	return g.finish()
}

// likeLibrary returns blocks of the base as the adapter runs them.
func (n *ControlNetXS) likeLibrary(blocks []*resnet2d) (out []*resnet2d) {
	for _, l := range blocks {
		out = append(out, l.withEpsilon(n.config.epsilon(n.base.config.NormEps)))
	}
	return out
}

// wireTime lays out the time embedding: the base's, or a mixture with the adapter's own.
func (n *ControlNetXS) wireTime(g *graph) *signal {
	base := g.timeEmbedding(n.base.time)
	if n.time == nil {
		return base
	}
	own := g.timeEmbedding(n.time)
	share := n.config.timeShare()
	g.once = own.place == shared
	out := g.plus(g.times(float32(share), own), g.times(float32(1-share), base))
	g.once = false
	return out
}

func (n *ControlNetXS) wireHint(g *graph, x *signal) *signal {
	for i, c := range n.hint {
		if i > 0 {
			x = g.activate(silu, x)
		}
		x = g.conv(c, x)
	}
	return x
}

// steer lays out the sum of the base's signal and a map of the control's.
func (g *graph) steer(c *conv, scale float32, base, control *signal) *signal {
	return g.plus(base, g.times(scale, g.conv(c, control)))
}

// controlDown lays out a level of both networks and returns what they leave for the way
// up, that of the base first.
func (g *graph) controlDown(l *controlLevel, base *level2d, x, control **signal, time, context *signal, scale float32) (skips [2][]*signal) {
	for j := range l.toControl {
		joined := g.concat(*control, g.conv(l.toControl[j], *x))
		if j < len(l.resnets) {
			*x, *control = g.stage2d(base, j, *x, time, context), g.stage2d(&l.level2d, j, joined, time, context)
		} else {
			*x, *control = g.conv(base.resample, *x), g.conv(l.resample, joined)
		}
		*x = g.steer(l.toBase[j], scale, *x, *control)
		skips[0], skips[1] = append(skips[0], *x), append(skips[1], *control)
	}
	return skips
}

// Bind is that of the base, with a hint [channels, 8·height, 8·width] for every sample, or
// one for all, and the scale of what the control adds to the base. A scale of 0 adds nothing
// and is not the base: the time embedding stays mixed with the adapter's own, if it has one,
// and the normalisations stay the library's in its form. Bind the base to draw without control.
func (n *ControlNetXS) Bind(height, width int, condition, hint tensor.Batch, scale float64) (*Bound, error) {
	b, err := n.base.Bind(height, width, condition)
	if err != nil {
		return nil, err
	}
	if n.base.unset != nil {
		return nil, n.base.unset
	}
	want := n.HintShape(height, width)
	if !hint.Shape.Equal(want) || hint.N < 1 {
		return nil, &ShapeError{"ControlNetXS", hint.Shape, fmt.Sprintf("hints %v", want)}
	}
	if err := hint.CheckFinite(); err != nil {
		return nil, fmt.Errorf("nn: hint: %w", err)
	}
	b.hint, b.net, b.size.scale = hint, &n.engine, float32(scale)
	return b, nil
}

// HintShape returns the shape of a hint for samples of height×width.
func (n *ControlNetXS) HintShape(height, width int) tensor.Shape {
	return tensor.Shape{n.config.ConditioningChannels, n.config.reduction() * height, n.config.reduction() * width}
}

// NewTraining returns memory for training steps of the adapter: see
// [UNet2DCondition.NewTraining].
func (n *ControlNetXS) NewTraining(batch, height, width, rows int, scale float64) (*Training, error) {
	m, err := n.base.model(height, width, rows)
	if err == nil {
		err = n.base.unset
	}
	if err != nil {
		return nil, err
	}
	m.net, m.size.scale = &n.engine, float32(scale)
	return m.newTraining(batch), nil
}

// gcd returns the greatest common divisor.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
