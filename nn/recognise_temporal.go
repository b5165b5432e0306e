package nn

import (
	"fmt"
	"slices"
)

// TemporalUNetArchitecture is what the tensors of a [TemporalUNet] tell of it.
//
// Source: Janner et al., "Planning with Diffusion for Flexible Behavior
// Synthesis" (ICML 2022), in the form of the published multi-robot checkpoints.
type TemporalUNetArchitecture struct {
	StateDim     int   `json:"state_dim"`
	UNetInputDim int   `json:"unet_input_dim"` // channels of the first level
	DimMults     []int `json:"dim_mults"`      // channels of each level, in units of UNetInputDim
	Option       int   `json:"option"`         // 0 for mults 1,2,4; 1 for 1,2,4,8; otherwise -1
	KernelSize   int   `json:"kernel_size"`
	TimeDim      int   `json:"time_dim"` // size of the time embedding
	Steps        int   `json:"steps"`    // diffusion steps by the schedule beside the network, 0 if there is none
}

// scheduleBuffer is the name of the noise schedule beside a network.
const scheduleBuffer = "betas"

// multOptions are the channel multiples that published configurations number.
var multOptions = [][]int{{1, 2, 4}, {1, 2, 4, 8}}

func recogniseTemporal(p tensors) (*TemporalUNetArchitecture, error) {
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
	u := &TemporalUNetArchitecture{StateDim: last[0], UNetInputDim: last[1], KernelSize: first[2], TimeDim: time[1]}
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

// Config returns the configuration of the network for a horizon and a number of
// groups, which tensors do not tell.
func (a TemporalUNetArchitecture) Config(horizon, groups int) TemporalUNetConfig {
	return TemporalUNetConfig{
		Horizon: horizon, StateDim: a.StateDim, Width: a.UNetInputDim, DimMults: a.DimMults,
		Kernel: a.KernelSize, Groups: groups, TimeDim: a.TimeDim,
	}
}

// anyHorizon returns a configuration with the names and shapes of the network.
func (a TemporalUNetArchitecture) anyHorizon() TemporalUNetConfig {
	return a.Config(shortest(len(a.DimMults)), 1)
}

// shortest returns a length that as many levels can halve.
func shortest(levels int) int { return 1 << min(levels, maxLevels) }
