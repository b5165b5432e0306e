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
	config ActionUNetConfig
	time   *timeEmbedding
	unet   unet
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
	n := &ActionUNet{config: c}
	n.params.lazy, n.params.dry = true, dry
	p := &n.params
	n.time = newStepEmbedding(p, "diffusion_step_encoder.1", "diffusion_step_encoder.3", c.TimeDim)
	b := blocks{p: p, kernel: c.Kernel, groups: c.Groups, condition: c.TimeDim + c.ConditionDim, inner: [2]string{"conv1", "conv2"},
		norm: 1, modulation: "cond_encoder.1", scaled: !c.ShiftOnly, between: true, change: ".2"}
	b.down(&n.unet, "down_modules", c.ActionDim, c.Horizon, c.DownDims)
	b.middle(&n.unet, "mid_modules.%d", 0, c.Horizon, c.DownDims)
	b.up(&n.unet, "up_modules", c.Horizon, c.DownDims)
	b.groups = finalGroups
	b.end(&n.unet, c.DownDims[0], c.ActionDim, c.Horizon)
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out.
func (n *ActionUNet) wire(k key) *plan {
	c := &n.config
	return n.unet.conditioned(newGraph(k), n.time, c.Horizon, c.ActionDim, c.ConditionDim)
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
