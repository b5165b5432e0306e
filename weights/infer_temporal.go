package weights

import (
	"fmt"
	"slices"
)

// TemporalUNet describes the unconditional U-Net over the waypoints of a path.
//
// Source: Janner et al., "Planning with Diffusion for Flexible Behavior
// Synthesis" (ICML 2022), in the form of the published multi-robot checkpoints.
type TemporalUNet struct {
	StateDim     int   `json:"state_dim"`
	UNetInputDim int   `json:"unet_input_dim"` // channels of the first level
	DimMults     []int `json:"dim_mults"`      // channels of each level, in units of UNetInputDim
	Option       int   `json:"option"`         // 0 for mults 1,2,4; 1 for 1,2,4,8; otherwise -1
	KernelSize   int   `json:"kernel_size"`
	TimeDim      int   `json:"time_dim"` // size of the time embedding
	Steps        int   `json:"steps"`    // diffusion steps by the schedule beside the network, 0 if there is none
}

const (
	resampleDown    = 3 // kernels that halve and double the length
	resampleUp      = 4
	scheduleBuffer  = "betas"
	hiddenPerOutput = 4 // width of the hidden layer of both step embeddings
)

// multOptions are the channel multiples that published configurations number.
var multOptions = [][]int{{1, 2, 4}, {1, 2, 4, 8}}

func inferTemporal(p probe) (*TemporalUNet, error) {
	last, err := p.shape("final_conv.1.weight", 3)
	if err != nil {
		return nil, err
	}
	time, err := p.shape("time_mlp.encoder.1.weight", 2)
	if err != nil {
		return nil, err
	}
	widths, first, err := p.levels(func(k int) string { return fmt.Sprintf("downs.%d.0.blocks.0.block.0.weight", k) })
	if err != nil {
		return nil, err
	}
	u := &TemporalUNet{StateDim: last[0], UNetInputDim: last[1], KernelSize: first[2], TimeDim: time[1]}
	for k, w := range widths {
		if w%u.UNetInputDim != 0 {
			return nil, p.fail("level %d has %d channels, no multiple of %d", k, w, u.UNetInputDim)
		}
		u.DimMults = append(u.DimMults, w/u.UNetInputDim)
	}
	u.Option = slices.IndexFunc(multOptions, func(m []int) bool { return slices.Equal(m, u.DimMults) })
	for _, name := range []string{p.prefix + scheduleBuffer, scheduleBuffer} {
		if t, ok := p.sd.Tensor(name); ok && len(t.Shape) == 1 {
			u.Steps = t.Shape[0]
			break
		}
	}
	return u, nil
}

// Layout returns the names and shapes of the network's tensors.
func (u TemporalUNet) Layout() []Spec {
	var l layout
	l.add("time_mlp.encoder.1", 0, hiddenPerOutput*u.TimeDim, u.TimeDim)
	l.add("time_mlp.encoder.3", 0, u.TimeDim, hiddenPerOutput*u.TimeDim)
	c := make([]int, len(u.DimMults))
	for k, m := range u.DimMults {
		c[k] = m * u.UNetInputDim
	}
	top := len(c) - 1
	in := u.StateDim
	for k, out := range c {
		u.resBlock(&l, fmt.Sprintf("downs.%d.0", k), in, out)
		u.resBlock(&l, fmt.Sprintf("downs.%d.1", k), out, out)
		if k < top {
			l.add(fmt.Sprintf("downs.%d.4.conv", k), 0, out, out, resampleDown)
		}
		in = out
	}
	for j := range top { // from the coarsest level to the second
		from, to := c[top-j], c[top-j-1]
		u.resBlock(&l, fmt.Sprintf("ups.%d.0", j), 2*from, to)
		u.resBlock(&l, fmt.Sprintf("ups.%d.1", j), to, to)
		l.add(fmt.Sprintf("ups.%d.4.conv", j), 1, to, to, resampleUp)
	}
	u.resBlock(&l, "mid_block1", c[top], c[top])
	u.resBlock(&l, "mid_block2", c[top], c[top])
	l.convBlock("final_conv.0", "2", c[0], u.UNetInputDim, u.KernelSize)
	l.add("final_conv.1", 0, u.StateDim, u.UNetInputDim, 1)
	return l
}

func (u TemporalUNet) resBlock(l *layout, name string, in, out int) {
	l.convBlock(name+".blocks.0", "2", in, out, u.KernelSize)
	l.convBlock(name+".blocks.1", "2", out, out, u.KernelSize)
	l.add(name+".cond_mlp.1", 0, out, u.TimeDim)
	if in != out {
		l.add(name+".residual_conv", 0, out, in, 1)
	}
}
