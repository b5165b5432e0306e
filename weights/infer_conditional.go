package weights

import "fmt"

// ConditionalUNet1D describes the U-Net over actions that is conditioned on
// observations through feature-wise modulation.
//
// Source: Chi et al., "Diffusion Policy" (RSS 2023).
type ConditionalUNet1D struct {
	InputDim         int   `json:"input_dim"`
	GlobalCondDim    int   `json:"global_cond_dim"`
	StepEmbedDim     int   `json:"diffusion_step_embed_dim"`
	DownDims         []int `json:"down_dims"`
	KernelSize       int   `json:"kernel_size"`
	CondPredictScale bool  `json:"cond_predict_scale"` // modulation has a scale beside the bias
}

func inferConditional(p probe) (*ConditionalUNet1D, error) {
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
	u := &ConditionalUNet1D{
		InputDim: first[1], GlobalCondDim: cond[1] - step[1], StepEmbedDim: step[1],
		DownDims: widths, KernelSize: first[2], CondPredictScale: cond[0] == 2*widths[0],
	}
	if u.GlobalCondDim < 0 {
		return nil, p.fail("its condition has %d numbers, fewer than the step embedding's %d", cond[1], step[1])
	}
	return u, nil
}

// Layout returns the names and shapes of the network's tensors.
func (u ConditionalUNet1D) Layout() []Spec {
	var l layout
	c, top := u.DownDims, len(u.DownDims)-1
	u.resBlock(&l, "mid_modules.0", c[top], c[top])
	u.resBlock(&l, "mid_modules.1", c[top], c[top])
	l.add("diffusion_step_encoder.1", 0, hiddenPerOutput*u.StepEmbedDim, u.StepEmbedDim)
	l.add("diffusion_step_encoder.3", 0, u.StepEmbedDim, hiddenPerOutput*u.StepEmbedDim)
	for j := range top { // from the coarsest level to the second
		from, to := c[top-j], c[top-j-1]
		u.resBlock(&l, fmt.Sprintf("up_modules.%d.0", j), 2*from, to)
		u.resBlock(&l, fmt.Sprintf("up_modules.%d.1", j), to, to)
		l.add(fmt.Sprintf("up_modules.%d.2.conv", j), 1, to, to, resampleUp)
	}
	in := u.InputDim
	for k, out := range c {
		u.resBlock(&l, fmt.Sprintf("down_modules.%d.0", k), in, out)
		u.resBlock(&l, fmt.Sprintf("down_modules.%d.1", k), out, out)
		if k < top {
			l.add(fmt.Sprintf("down_modules.%d.2.conv", k), 0, out, out, resampleDown)
		}
		in = out
	}
	l.convBlock("final_conv.0", "1", c[0], c[0], u.KernelSize)
	l.add("final_conv.1", 0, u.InputDim, c[0], 1)
	return l
}

func (u ConditionalUNet1D) resBlock(l *layout, name string, in, out int) {
	l.convBlock(name+".blocks.0", "1", in, out, u.KernelSize)
	l.convBlock(name+".blocks.1", "1", out, out, u.KernelSize)
	modulation := out
	if u.CondPredictScale {
		modulation = 2 * out
	}
	l.add(name+".cond_encoder.1", 0, modulation, u.StepEmbedDim+u.GlobalCondDim)
	if in != out {
		l.add(name+".residual_conv", 0, out, in, 1)
	}
}
