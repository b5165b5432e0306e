package nn

import "fmt"

// conditionalUNet1DArchitecture is what the tensors of a [ConditionalUNet1D] tell of it.
type conditionalUNet1DArchitecture struct {
	InputDim         int   `json:"input_dim"`
	GlobalCondDim    int   `json:"global_cond_dim"`
	StepEmbedDim     int   `json:"diffusion_step_embed_dim"`
	DownDims         []int `json:"down_dims"`
	KernelSize       int   `json:"kernel_size"`
	CondPredictScale bool  `json:"cond_predict_scale"` // modulation has a scale beside the bias
}

func recogniseConditional(p tensors) (*conditionalUNet1DArchitecture, error) {
	if p.has("local_cond_encoder.0.blocks.0.block.0.weight") {
		return nil, p.fail("it has local conditioning, which is not supported")
	}
	step, err := p.shape("diffusion_step_encoder.1.weight", 2)
	if err != nil {
		return nil, err
	}
	widths, first, err := p.levels(func(k int) string { return fmt.Sprintf("down_modules.%d.0.blocks.0.block.0.weight", k) })
	if err != nil {
		return nil, err
	}
	cond, err := p.shape("down_modules.0.0.cond_encoder.1.weight", 2)
	if err != nil {
		return nil, err
	}
	u := &conditionalUNet1DArchitecture{
		InputDim: first[1], GlobalCondDim: cond[1] - step[1], StepEmbedDim: step[1],
		DownDims: widths, KernelSize: first[2], CondPredictScale: cond[0] == 2*widths[0],
	}
	if u.GlobalCondDim < 0 {
		return nil, p.fail("its condition has %d numbers, fewer than the step embedding's %d", cond[1], step[1])
	}
	return u, nil
}

// Config returns the configuration of the network for a horizon and a number of
// groups, which tensors do not tell.
func (a conditionalUNet1DArchitecture) Config(horizon, groups int) ConditionalUNet1DConfig {
	return ConditionalUNet1DConfig{
		Horizon: horizon, StateDim: a.InputDim, ConditionDim: a.GlobalCondDim, DownDims: a.DownDims,
		Kernel: a.KernelSize, Groups: groups, TimeDim: a.StepEmbedDim, ShiftOnly: !a.CondPredictScale,
	}
}

// anyHorizon returns a configuration with the names and shapes of the network.
func (a conditionalUNet1DArchitecture) anyHorizon() ConditionalUNet1DConfig {
	return a.Config(shortest(len(a.DownDims)), 1)
}
