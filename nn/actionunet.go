package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// ActionUNet predicts the noise in a sequence of actions, or the actions, given a vector of
// observations: the network of [ConditionalUNet1D] with the names of the library LeRobot.
// All goroutines share every operation, so that a single sample, which is what a robot
// waits for, uses all cores; weights may stay as a file has them, of half precision, see
// [Param.Keep]. [ActionUNet.Bind] makes it a model of samples [Horizon, ActionDim]. Source:
// Chi et al., "Diffusion policy: visuomotor policy learning via action diffusion" (RSS 2023).
type ActionUNet struct {
	engine
	config        ActionUNetConfig
	embedding     *embedding
	first, second *conv2d // of the timestep
	down, up      []*actionLevel
	mid           [2]*actionBlock
	head          actionConv
	last          *rowConv
}

// actionLevel is a resolution on the way down or up.
type actionLevel struct {
	name          string
	first, second *actionBlock
	resample      *rowConv // nil at the end of the way down
}

// actionConv is a convolution with a normalisation and Mish.
type actionConv struct {
	conv *rowConv
	norm *groupNorm
}

// actionBlock is a residual block: two convolutions with a modulation between them.
type actionBlock struct {
	name          string
	first, second actionConv
	modulation    *conv2d
	skip          *rowConv // nil for the identity
}

// NewActionUNet returns a network whose parameters have no values yet: give them some, or
// call Init. It returns a [ConfigError] for sizes that make no network.
func NewActionUNet(c ActionUNetConfig) (*ActionUNet, error) { return c.build(false) }

// build makes the network, or its names and shapes only.
func (c ActionUNetConfig) build(dry bool) (*ActionUNet, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &ActionUNet{config: c, embedding: newEmbedding(c.TimeDim)}
	n.params.lazy, n.params.dry = true, dry
	p := &n.params
	n.first = newRows(p, "diffusion_step_encoder.1", c.TimeDim, 4*c.TimeDim, true)
	n.second = newRows(p, "diffusion_step_encoder.3", 4*c.TimeDim, c.TimeDim, true)
	n.makeDown(p)
	lowest := c.DownDims[len(c.DownDims)-1]
	for i := range n.mid {
		n.mid[i] = c.newBlock(p, fmt.Sprintf("mid_modules.%d", i), lowest, lowest)
	}
	n.makeUp(p)
	width := c.DownDims[0]
	n.head = newActionConv(p, "final_conv.0", "block", width, width, c.Kernel, finalGroups)
	n.last = newRowConv(p, "final_conv.1", width, c.ActionDim, 1, 1)
	return n, n.start(n.wire, c.Workers)
}

func (n *ActionUNet) makeDown(p *params) {
	c, in := &n.config, n.config.ActionDim
	for i, out := range c.DownDims {
		l := &actionLevel{name: fmt.Sprintf("down_modules.%d", i)}
		l.first, l.second = c.newBlock(p, l.name+".0", in, out), c.newBlock(p, l.name+".1", out, out)
		if i < len(c.DownDims)-1 {
			l.resample = newRowConv(p, l.name+".2", out, out, 3, 2)
		}
		n.down = append(n.down, l)
		in = out
	}
}

// makeUp makes the way up: every level takes the output of the one below and that of its own
// resolution on the way down.
func (n *ActionUNet) makeUp(p *params) {
	c, levels := &n.config, len(n.config.DownDims)
	for i := range levels - 1 {
		low, out := c.DownDims[levels-1-i], c.DownDims[levels-2-i]
		l := &actionLevel{name: fmt.Sprintf("up_modules.%d", i)}
		l.first, l.second = c.newBlock(p, l.name+".0", 2*low, out), c.newBlock(p, l.name+".1", out, out)
		l.resample = newRowTransposed(p, l.name+".2", out, out)
		n.up = append(n.up, l)
	}
}

func newActionConv(p *params, name, block string, in, out, taps, groups int) actionConv {
	return actionConv{
		newRowConv(p, name+"."+block+".0", in, out, taps, 1),
		newGroupNorm(p, name+"."+block+".1", groups, out, epsilon),
	}
}

func (c *ActionUNetConfig) newBlock(p *params, name string, in, out int) *actionBlock {
	b := &actionBlock{name: name}
	b.first = newActionConv(p, name+".conv1", "block", in, out, c.Kernel, c.Groups)
	width := 2 * out
	if c.ShiftOnly {
		width = out
	}
	b.modulation = newRows(p, name+".cond_encoder.1", c.TimeDim+c.ConditionDim, width, true)
	b.second = newActionConv(p, name+".conv2", "block", out, out, c.Kernel, c.Groups)
	if in != out {
		b.skip = newRowConv(p, name+".residual_conv", in, out, 1, 1)
	}
	return b
}

// Bind returns the network as a model with a condition for every sample: rows of
// ConditionDim numbers, of which the sample with number s uses row s - condition.First, or
// the only one if all share it. It does not copy the condition.
func (n *ActionUNet) Bind(condition tensor.Batch) (*Bound, error) {
	if size := condition.Size(); size != n.config.ConditionDim {
		return nil, &conditionError{Channels: size, Want: n.config.ConditionDim}
	}
	if err := condition.CheckFinite(); err != nil {
		return nil, fmt.Errorf("nn: condition: %w", err)
	}
	return &Bound{model: n.model(), condition: condition}, nil
}

// model returns the network as a model of sequences.
func (n *ActionUNet) model() model {
	return model{&n.engine, tensor.Shape{n.config.Horizon, n.config.ActionDim}, n.config.Prediction, extent{rows: 1}}
}

// Config returns what the network was made from.
func (n *ActionUNet) Config() ActionUNetConfig { return n.config }

// MultiplyAdds returns how many multiplications a prediction for one sample is by the
// definition of its layers, with the zeros around sequences.
func (n *ActionUNet) MultiplyAdds() int {
	nominal, _ := n.multiplyAdds(n.model().size)
	return nominal
}

// NewTraining returns memory for training steps of up to batch samples and gives the
// parameters their gradients.
func (n *ActionUNet) NewTraining(batch int) *Training {
	m := n.model()
	return m.newTraining(batch)
}
