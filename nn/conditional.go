package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// ConditionalUNet1DConfig describes a [ConditionalUNet1D]. The zero value is the
// published network for PushT, with 65.8 million parameters.
type ConditionalUNet1DConfig struct {
	Horizon      int   // actions of a sequence; 0 is 16. A multiple of 2^(levels-1)
	StateDim     int   // numbers per action; 0 is 2
	ConditionDim int   // numbers of the global condition; 0 is 40
	DownDims     []int // channels by level; nil is 256, 512, 1024
	Kernel       int   // taps of the convolutions, odd; 0 is 5
	Groups       int   // groups of the normalisations, a divisor of all channels; 0 is 8
	TimeDim      int   // width of the timestep embedding, even; 0 is 256
	ShiftOnly    bool  // the condition shifts, but does not scale (cond_predict_scale is false)
	Workers      int   // goroutines that share a batch; 0 is GOMAXPROCS
}

func (c ConditionalUNet1DConfig) withDefaults() ConditionalUNet1DConfig {
	if c.DownDims == nil {
		c.DownDims = []int{256, 512, 1024}
	}
	for v, d := range map[*int]int{&c.Horizon: 16, &c.StateDim: 2, &c.ConditionDim: 40, &c.Kernel: 5, &c.Groups: 8, &c.TimeDim: 256} {
		if *v == 0 {
			*v = d
		}
	}
	return c
}

// ConditionalUNet1D predicts the noise in a sequence of actions given a vector of
// observations for every sample: a one-dimensional U-Net whose blocks are scaled
// and shifted by the timestep and the condition. [ConditionalUNet1D.Bind] makes it
// a model. Source: Chi et al., "Diffusion policy: visuomotor policy learning via
// action diffusion" (RSS 2023).
type ConditionalUNet1D struct {
	sequences
	config ConditionalUNet1DConfig
	time   *timeEmbedding
	unet   unet
}

// NewConditionalUNet1D returns a network with zero weights: load them, or call
// Init.
func NewConditionalUNet1D(config ConditionalUNet1DConfig) (*ConditionalUNet1D, error) {
	return config.build(false)
}

// build makes the network, or its names and shapes only.
func (config ConditionalUNet1DConfig) build(dry bool) (*ConditionalUNet1D, error) {
	c := config.withDefaults()
	if err := checkUNet("ConditionalUNet1D", c.Horizon, c.StateDim, c.Kernel, c.Groups, c.TimeDim, c.DownDims); err != nil {
		return nil, err
	}
	if c.ConditionDim < 1 || c.ConditionDim > maxWidth {
		return nil, &ConfigError{"ConditionalUNet1D", "ConditionDim", fmt.Sprint(c.ConditionDim), fmt.Sprintf("1 to %d", maxWidth)}
	}
	n := &ConditionalUNet1D{config: c}
	n.params.dry, n.params.packs = dry, true
	p := &n.params
	b := blocks{p: p, kernel: c.Kernel, groups: c.Groups, condition: c.TimeDim + c.ConditionDim, inner: [2]string{"blocks.0", "blocks.1"},
		norm: 1, modulation: "cond_encoder.1", scaled: !c.ShiftOnly, change: ".2", conv: ".conv"}
	b.middle(&n.unet, "mid_modules.%d", 0, c.Horizon, c.DownDims)
	n.time = newStepEmbedding(p, "diffusion_step_encoder.1", "diffusion_step_encoder.3", c.TimeDim)
	b.up(&n.unet, "up_modules", c.Horizon, c.DownDims)
	b.down(&n.unet, "down_modules", c.StateDim, c.Horizon, c.DownDims)
	b.end(&n.unet, c.DownDims[0], c.StateDim, c.Horizon)
	n.from(tensor.Shape{c.Horizon, c.StateDim})
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out for a purpose.
func (n *ConditionalUNet1D) wire(k key) *plan {
	g := newApart(k, max(1, n.config.Kernel/2))
	return n.unet.conditioned(g, n.time, n.config.Horizon, n.config.StateDim, n.config.ConditionDim)
}

// Bind returns the network as a model with a condition for every sample: rows of
// ConditionDim numbers, of which the sample with number s uses row
// s - condition.First. It does not copy the condition.
func (n *ConditionalUNet1D) Bind(condition tensor.Batch) (*Bound, error) {
	if size := condition.Size(); size != n.config.ConditionDim {
		return nil, &conditionError{Channels: size, Want: n.config.ConditionDim}
	}
	if err := condition.CheckFinite(); err != nil {
		return nil, fmt.Errorf("nn: condition: %w", err)
	}
	return &Bound{model: n.model, condition: condition}, nil
}
