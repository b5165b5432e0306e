package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// TemporalUNetConfig describes a [TemporalUNet]. The zero value is the larger of
// the two published networks.
type TemporalUNetConfig struct {
	Horizon  int   // waypoints of a trajectory; 0 is 64. A multiple of 2^(levels-1)
	StateDim int   // numbers per waypoint; 0 is 4: x, y and their velocities
	Width    int   // channels at full resolution before the multiples; 0 is 32
	DimMults []int // multiples of Width, by level; nil is 1, 2, 4, 8
	Kernel   int   // taps of the convolutions, odd; 0 is 5
	Groups   int   // groups of the normalisations, a divisor of all widths; 0 is 8
	TimeDim  int   // width of the timestep embedding, even; 0 is 32
	Workers  int   // goroutines that share a batch; 0 is GOMAXPROCS
}

func (c TemporalUNetConfig) withDefaults() TemporalUNetConfig {
	if c.DimMults == nil {
		c.DimMults = []int{1, 2, 4, 8}
	}
	for v, d := range map[*int]int{&c.Horizon: 64, &c.StateDim: 4, &c.Width: 32, &c.Kernel: 5, &c.Groups: 8, &c.TimeDim: 32} {
		if *v == 0 {
			*v = d
		}
	}
	return c
}

// TemporalUNet predicts the noise in a trajectory: a one-dimensional U-Net over
// waypoints, shifted by the timestep. It implements denoise.VJPer. Source:
// Janner, Du, Tenenbaum and Levine, "Planning with diffusion for flexible behavior
// synthesis" (ICML 2022), in the form of Carvalho et al., "Motion planning
// diffusion" (IROS 2023).
type TemporalUNet struct {
	sequences
	config TemporalUNetConfig
	time   *timeEmbedding
	unet   unet
}

// NewTemporalUNet returns a network with zero weights: load them, or call
// [TemporalUNet.Init].
func NewTemporalUNet(config TemporalUNetConfig) (*TemporalUNet, error) { return config.build(false) }

// build makes the network, or its names and shapes only.
func (config TemporalUNetConfig) build(dry bool) (*TemporalUNet, error) {
	c := config.withDefaults()
	if c.Width < 1 || c.Width > maxWidth {
		return nil, &ConfigError{"TemporalUNet", "Width", fmt.Sprint(c.Width), fmt.Sprintf("1 to %d", maxWidth)}
	}
	widths := make([]int, len(c.DimMults))
	for i, m := range c.DimMults {
		widths[i] = c.Width * min(m, maxWidth) // refused, but not overflowing
	}
	if err := checkUNet("TemporalUNet", c.Horizon, c.StateDim, c.Kernel, c.Groups, c.TimeDim, widths); err != nil {
		return nil, err
	}
	n := &TemporalUNet{config: c}
	n.params.dry, n.params.packs = dry, true
	p := &n.params
	n.time = newStepEmbedding(p, "time_mlp.encoder.1", "time_mlp.encoder.3", c.TimeDim)
	b := blocks{p: p, kernel: c.Kernel, groups: c.Groups, condition: c.TimeDim, inner: [2]string{"blocks.0", "blocks.1"},
		norm: 2, modulation: "cond_mlp.1", change: ".4", conv: ".conv"}
	b.down(&n.unet, "downs", c.StateDim, c.Horizon, widths)
	b.up(&n.unet, "ups", c.Horizon, widths)
	b.middle(&n.unet, "mid_block%d", 1, c.Horizon, widths)
	b.end(&n.unet, c.Width, c.StateDim, c.Horizon)
	n.from(tensor.Shape{c.Horizon, c.StateDim})
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out for a purpose.
func (n *TemporalUNet) wire(k key) *plan {
	g := newApart(k, max(1, n.config.Kernel/2))
	x := g.enterSequences(0, n.config.Horizon, n.config.StateDim, k.purpose != training)
	t := g.timeEmbedding(n.time)
	var m modulator
	if t.place == shared {
		m.common = g.onceFor(t, func() *signal { return g.activate(mish, t) })
	} else {
		m.own = g.activate(mish, t)
	}
	n.unet.lay(g, x, m)
	return g.finish()
}
