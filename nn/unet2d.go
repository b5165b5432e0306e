package nn

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// UNet2DCondition predicts the noise in an image, or its velocity, given rows of context:
// a U-Net whose levels may look at one another's pixels and at the context.
// [UNet2DCondition.Bind] makes it a model. Source: Rombach et al., "High-resolution image
// synthesis with latent diffusion models" (CVPR 2022), with the structure and the names of
// UNet2DConditionModel of the library diffusers.
type UNet2DCondition struct {
	engine
	config UNet2DConfig
	in     *conv
	time   *timeEmbedding
	down   []*level2d
	mid    *middle2d
	up     []*level2d
	norm   *groupNorm
	out    *conv
}

// level2d is a resolution of a U-Net on its way down or up.
type level2d struct {
	name       string
	resnets    []*resnet2d
	attentions []*transformer2d // nil, or one after each resnet
	resample   *conv            // nil at the end
}

// middle2d is the lowest part of a U-Net.
type middle2d struct {
	resnets    []*resnet2d
	attentions []*transformer2d
}

// NewUNet2DCondition returns a network whose parameters have no values yet: give them
// some, or call Init.
func NewUNet2DCondition(c UNet2DConfig) (*UNet2DCondition, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &UNet2DCondition{config: c}
	n.params.lazy = true
	p := &n.params
	widths := c.BlockOutChannels
	n.in = newConv2d(p, "conv_in", c.InChannels, widths[0], same(3, 1))
	n.time = newTimeEmbedding(p, newTimeFeatures(widths[0], c.FlipSinToCos, c.FreqShift), c.timeWidth())
	if c.GuidanceDim > 0 {
		n.time.takeGuidance(p, "time_embedding", c.GuidanceDim)
	}
	skips := n.makeDown(p)
	n.makeUp(p, skips)
	last := widths[len(widths)-1]
	if !c.NoMiddle {
		n.mid = newMiddle2d(p, "mid_block", last, c.timeWidth(), c.Heads[len(widths)-1], c.normal(), c.transformer(len(widths)-1))
	}
	n.norm = newGroupNorm(p, "conv_norm_out", c.NormNumGroups, widths[0], c.NormEps)
	n.out = newConv2d(p, "conv_out", widths[0], c.OutChannels, same(3, 1))
	return n, n.start(n.wire, c.Workers)
}

// enlarged are the taps of a convolution of an image of twice the size.
var enlarged = taps{size: 3, stride: 1, before: 1, after: 1, double: true}

// makeDown makes the way down and returns the channels of what it leaves for the way up.
func (n *UNet2DCondition) makeDown(p *params) (skips []int) {
	c := &n.config
	in := c.BlockOutChannels[0]
	skips = []int{in}
	for i, out := range c.BlockOutChannels {
		l := &level2d{name: fmt.Sprintf("down_blocks.%d", i)}
		for j := range c.LayersPerBlock {
			if c.DownAttention[i] {
				l.attentions = append(l.attentions, newTransformer2d(p, fmt.Sprintf("%s.attentions.%d", l.name, j), out, c.Heads[i], c.transformer(i)))
			}
			l.resnets = append(l.resnets, newResnet2d(p, fmt.Sprintf("%s.resnets.%d", l.name, j), in, out, c.timeWidth(), c.normal()))
			in = out
			skips = append(skips, out)
		}
		if i < len(c.BlockOutChannels)-1 {
			l.resample = newConv2d(p, l.name+".downsamplers.0.conv", out, out, same(3, 2))
			skips = append(skips, out)
		}
		n.down = append(n.down, l)
	}
	return skips
}

// makeUp makes the way up, which takes the skips from the last one on.
func (n *UNet2DCondition) makeUp(p *params, skips []int) {
	c := &n.config
	levels := len(c.BlockOutChannels)
	in := c.BlockOutChannels[levels-1]
	for i := range levels {
		at := levels - 1 - i
		out := c.BlockOutChannels[at]
		l := &level2d{name: fmt.Sprintf("up_blocks.%d", i)}
		for j := range c.LayersPerBlock + 1 {
			if c.UpAttention[i] {
				l.attentions = append(l.attentions, newTransformer2d(p, fmt.Sprintf("%s.attentions.%d", l.name, j), out, c.Heads[at], c.transformer(at)))
			}
			skip := skips[len(skips)-1]
			skips = skips[:len(skips)-1]
			l.resnets = append(l.resnets, newResnet2d(p, fmt.Sprintf("%s.resnets.%d", l.name, j), in+skip, out, c.timeWidth(), c.normal()))
			in = out
		}
		if i < levels-1 {
			l.resample = newConv2d(p, l.name+".upsamplers.0.conv", out, out, enlarged)
		}
		n.up = append(n.up, l)
	}
}

func newMiddle2d(p *params, name string, channels, time, heads int, norm normal, size transformerSize) *middle2d {
	m := &middle2d{}
	m.attentions = []*transformer2d{newTransformer2d(p, name+".attentions.0", channels, heads, size)}
	for i := range 2 {
		m.resnets = append(m.resnets, newResnet2d(p, fmt.Sprintf("%s.resnets.%d", name, i), channels, channels, time, norm))
	}
	return m
}

// Predicts says what the network was trained to predict, which its file does not know. It is
// called before the network is bound.
func (n *UNet2DCondition) Predicts(kind schedule.Kind) error {
	c := n.config
	c.Prediction = kind
	if err := c.check(); err != nil {
		return err
	}
	n.config = c
	return nil
}

// wire lays the network out.
func (n *UNet2DCondition) wire(k key) *plan {
	g := newGraph(k)
	c := &n.config
	x := g.enterImage(0, k.size.height, k.size.width, c.InChannels, true)
	context := g.enterRows(1, k.size.rows, c.CrossAttentionDim, k.purpose == conditioning)
	time := g.activateTime(g.timeAndGuidance(n.time, k.size))
	x = g.conv(n.in, x)
	g.watch("conv_in", x)
	skips := []*signal{x}
	for _, l := range n.down {
		var left []*signal
		x, left = g.levelDown(l, x, time, context)
		skips = append(skips, left...)
	}
	if n.mid != nil {
		x = g.middle(n.mid, "mid_block", x, time, context)
	}
	for _, l := range n.up {
		x, skips = g.levelUp(l, x, skips, time, context)
	}
	g.leaveImage(0, g.conv(n.out, g.normThenSiLU(n.norm, "conv_norm_out", x)))
	return g.finish()
}

// levelDown lays out a level of the way down and returns what it leaves for the way up.
func (g *graph) levelDown(l *level2d, x, time, context *signal) (out *signal, skips []*signal) {
	for j := range l.resnets {
		x = g.stage2d(l, j, x, time, context)
		skips = append(skips, x)
	}
	if l.resample != nil {
		x = g.conv(l.resample, x)
		g.watch(l.name+".downsamplers.0", x)
		skips = append(skips, x)
	}
	g.watch(l.name, x)
	return x, skips
}

// levelUp lays out a level of the way up, which takes the skips, if there are any, from the last one
// on, and returns those that it leaves. It ends at the size of the next one.
func (g *graph) levelUp(l *level2d, x *signal, skips []*signal, time, context *signal) (out *signal, left []*signal) {
	var like *signal
	for j := range l.resnets {
		if last := len(skips) - 1; last >= 0 {
			x, skips = g.concat(x, skips[last]), skips[:last]
		}
		x = g.stage2d(l, j, x, time, context)
	}
	if last := len(skips) - 1; last >= 0 {
		like = skips[last]
	}
	if l.resample != nil {
		x = g.enlarge(l.resample, x, like)
		g.watch(l.name+".upsamplers.0", x)
	}
	g.watch(l.name, x)
	return x, skips
}

// stage2d lays out a resnet of a level and the attention after it.
func (g *graph) stage2d(l *level2d, j int, x, time, context *signal) *signal {
	x = g.resnet(l.resnets[j], x, time)
	g.watch(fmt.Sprintf("%s.resnets.%d", l.name, j), x)
	if l.attentions != nil {
		x = g.transformer(l.attentions[j], x, context)
		g.watch(fmt.Sprintf("%s.attentions.%d", l.name, j), x)
	}
	return x
}

func (g *graph) middle(m *middle2d, name string, x, time, context *signal) *signal {
	x = g.resnet(m.resnets[0], x, time)
	for i, a := range m.attentions {
		x = g.transformer(a, x, context)
		g.watch(fmt.Sprintf("%s.attentions.%d", name, i), x)
		x = g.resnet(m.resnets[i+1], x, time)
	}
	g.watch(name, x)
	return x
}

// model returns the network for images and contexts of the given sizes.
func (n *UNet2DCondition) model(height, width, rows int) (model, error) {
	if height < 1 || width < 1 {
		return model{}, &ConfigError{"UNet2DCondition", "size of an image", fmt.Sprintf("%d×%d", height, width), "positive sides"}
	}
	if n.config.InChannels != n.config.OutChannels {
		return model{}, &ConfigError{"UNet2DCondition", "out_channels", fmt.Sprint(n.config.OutChannels),
			fmt.Sprintf("the %d channels that it takes, to be a model of them", n.config.InChannels)}
	}
	shape := tensor.Shape{n.config.InChannels, height, width}
	return model{&n.engine, shape, n.config.Prediction, extent{height: height, width: width, rows: rows}}, nil
}

// Bind returns the network as a model of images of height×width with rows of context for
// every sample: condition has the shape [rows, CrossAttentionDim], and the sample with
// number s uses row s - condition.First, or the only one if all share it.
func (n *UNet2DCondition) Bind(height, width int, condition tensor.Batch) (*Bound, error) {
	if len(condition.Shape) != 2 || condition.Shape[0] < 1 || condition.Shape[1] != n.config.CrossAttentionDim {
		return nil, &conditionError{Channels: condition.Size(), Want: n.config.CrossAttentionDim}
	}
	if err := condition.CheckFinite(); err != nil {
		return nil, fmt.Errorf("nn: condition: %w", err)
	}
	m, err := n.model(height, width, condition.Shape[0])
	if err != nil {
		return nil, err
	}
	return &Bound{model: m, condition: condition}, nil
}

// BindGuided is [UNet2DCondition.Bind] of a network that takes the strength of guidance as an
// input: 1 is none. Bind leaves the input out.
func (n *UNet2DCondition) BindGuided(height, width int, condition tensor.Batch, guidance float64) (*Bound, error) {
	if n.config.GuidanceDim == 0 || math.IsNaN(guidance) || math.IsInf(guidance, 0) {
		return nil, &ConfigError{"UNet2DCondition", "guidance", fmt.Sprint(guidance), "a finite number, and a network that takes it"}
	}
	b, err := n.Bind(height, width, condition)
	if err == nil {
		b.size.guided, b.size.guidance = true, guidance
	}
	return b, err
}

// Config returns what the network was made from.
func (n *UNet2DCondition) Config() UNet2DConfig { return n.config }

// Kind says what the network predicts.
func (n *UNet2DCondition) Kind() schedule.Kind { return n.config.Prediction }

// MultiplyAdds returns how many multiplications a prediction for an image of
// height×width with some rows of context is, by the definition of its layers.
func (n *UNet2DCondition) MultiplyAdds(height, width, rows int) int {
	nominal, _ := n.multiplyAdds(extent{height: height, width: width, rows: rows})
	return nominal
}

// NewTraining returns memory for training steps of up to batch images of height×width
// with some rows of context, and gives the parameters their gradients.
func (n *UNet2DCondition) NewTraining(batch, height, width, rows int) (*Training, error) {
	m, err := n.model(height, width, rows)
	if err != nil {
		return nil, err
	}
	return m.newTraining(batch), nil
}
