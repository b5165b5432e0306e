package nn

import "github.com/go-pcd/pcd/internal/kernel"

// level is a resolution of a U-Net of sequences: two residual blocks and a change of
// resolution, nil where there is none.
type level struct {
	name          string
	first, second *residual
	resample      *conv
	change        string // name of what changes the resolution, or of the identity
}

// unet is what the networks of sequences share. The way up starts with the lowest level and
// has one level less than the way down: the output of the first level is not used
// on the way up.
type unet struct {
	down, up []level
	mid      [2]*residual
	head     convBlock
	last     *conv
}

// lay lays out the network from its input to what is the caller's.
func (u *unet) lay(g *graph, x *signal, m modulator) {
	var skips []*signal
	for i := range u.down {
		x = g.level(&u.down[i], x, m)
		skips = append(skips, x)
		x = g.resample(&u.down[i], x)
	}
	for _, l := range u.mid {
		x = g.residual(l, x, m)
	}
	for i := range u.up {
		x = g.resample(&u.up[i], g.level(&u.up[i], g.concat(x, skips[len(skips)-1-i]), m))
	}
	x = g.block(u.head, x, nil, film{})
	g.watch("final_conv.0", x)
	if u.last.packed != nil {
		g.packedLeave(0, u.last.packed, x)
	} else {
		g.leaveRows(0, g.conv(u.last, x))
	}
}

// level lays out the two blocks of a level.
func (g *graph) level(l *level, x *signal, m modulator) *signal {
	return g.residual(l.second, g.residual(l.first, x, m), m)
}

// resample lays out the change of resolution after a level.
func (g *graph) resample(l *level, x *signal) *signal {
	if l.resample != nil {
		x = g.conv(l.resample, x)
	}
	g.watch(l.change, x)
	return x
}

// conditioned lays out the network after an embedding of the timestep and a condition for every
// sample.
func (u *unet) conditioned(g *graph, time *timeEmbedding, length, channels, condition int) *plan {
	learns := g.purpose == training || g.purpose == conditioning
	x := g.enterSequences(0, length, channels, g.joint || g.purpose != training)
	t, c := g.timeEmbedding(time), g.enterRows(1, 1, condition, g.purpose == conditioning || g.joint && g.purpose == training)
	m := modulator{own: g.activate(mish, g.beside(t, c))}
	if !g.joint && !learns {
		m.common = g.onceFor(t, func() *signal { return g.activate(mish, t) })
	}
	u.lay(g, x, m)
	return g.finish()
}

// activation is an elementwise function and its gradient.
type activation struct {
	value func(dst, x []float32)
	grad  func(dst, x, dy []float32)
}

var (
	mish = activation{kernel.Mish, kernel.MishGrad}
	silu = activation{kernel.SiLU, kernel.SiLUGrad}
)
