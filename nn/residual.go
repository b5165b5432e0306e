package nn

// convBlock is a convolution of sequences with a normalisation and Mish.
type convBlock struct {
	conv *conv
	norm *groupNorm
}

// residual is the residual block of networks of sequences: two convolution blocks, a
// modulation by the condition between them, and a sum with the input, which a
// convolution of one tap brings to the right number of channels where they differ.
type residual struct {
	name          string
	first, second convBlock
	modulation    *conv // from the condition to shifts, or scales and shifts
	scaled        bool
	skip          *conv // nil for the identity
}

// modulator is what the residual blocks are conditioned on: own of every sample, of which the
// first channels may be common to all, or either alone.
type modulator struct{ own, common *signal }

// modulate lays out the map from the condition to the modulation of a block. What the
// channels that all samples have in common contribute is computed once.
func (g *graph) modulate(l *residual, m modulator) film {
	if m.common == nil {
		return film{g.conv(l.modulation, m.own), l.scaled}
	}
	common := g.onceFor(m.common, func() *signal { return g.conv(l.modulation, m.common) })
	if m.own == nil {
		return film{common, l.scaled}
	}
	out := g.signal(1, common.channels)
	own := g.products(l.modulation.packed.forward, out, m.own, true).from(m.common.channels)
	_, useful := own.multiplyAdds()
	g.useful += useful
	g.does(func(r *run) {
		for i := range r.n {
			copy(r.vector(out, i), r.vector(common, i))
		}
		own.run(r)
	}, out, m.own)
	return film{out, l.scaled}
}

// residual lays out a block.
func (g *graph) residual(l *residual, in *signal, m modulator) *signal {
	f := g.modulate(l, m)
	g.watch("film."+l.name, f.signal)
	h := g.block(l.first, in, nil, f)
	u := g.conv(l.second.conv, h)
	x := in
	if l.skip != nil {
		x = g.conv(l.skip, in)
		x.single = true
	}
	out := g.after(l.second.norm, u, x, film{})
	g.watch(l.name, out)
	return out
}

// block lays out a convolution block, modulated by f or with y added on demand.
func (g *graph) block(l convBlock, in, y *signal, f film) *signal {
	return g.after(l.norm, g.conv(l.conv, in), y, f)
}

// after lays out what follows the convolution of a block: one pass where samples are shared
// out, and otherwise one operation after the other.
func (g *graph) after(l *groupNorm, u, y *signal, f film) *signal {
	if !g.joint {
		return g.normMish(l, u, y, f)
	}
	u = g.activate(mish, g.groupNorm(l, u, false))
	if f.signal != nil {
		u = g.film(u, f.signal, f.scaled)
	}
	if y != nil {
		u = g.plus(u, y)
	}
	return u
}
