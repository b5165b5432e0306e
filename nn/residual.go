package nn

// convBlock is a convolution with a normalisation and Mish.
type convBlock struct {
	conv *conv
	norm *groupNorm
}

// residual is the residual block of both networks: two convolution blocks, a
// modulation by the condition between them, and a sum with the input, which a
// convolution of one tap brings to the right number of channels where they differ.
type residual struct {
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
		return film{g.packed(l.modulation, m.own), l.scaled}
	}
	g.once = true
	common := g.packed(l.modulation, m.common)
	g.once = false
	if m.own == nil {
		return film{common, l.scaled}
	}
	out := g.signal(1, common.channels)
	own := g.products(l.modulation.forward, out, m.own, true).from(m.common.channels)
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
	h := g.normMish(l.first.norm, g.packed(l.first.conv, in), nil, f)
	u := g.packed(l.second.conv, h)
	x := in
	if l.skip != nil {
		x = g.packed(l.skip, in)
	}
	return g.normMish(l.second.norm, u, x, film{})
}

// block lays out a convolution block that stands alone.
func (g *graph) block(l convBlock, in *signal) *signal {
	return g.normMish(l.norm, g.packed(l.conv, in), nil, film{})
}
