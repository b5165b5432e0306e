package nn

// wire lays the network out.
func (n *ActionUNet) wire(k key) *plan {
	g, c := newGraph(k), &n.config
	x := g.enterRows(0, c.Horizon, c.ActionDim, true)
	x.height = 1
	condition := g.enterRows(1, 1, c.ConditionDim, k.purpose == conditioning)
	m := g.activate(mish, g.beside(n.time(g), condition))
	var skips []*signal
	for _, l := range n.down {
		x = g.actionLevel(l, x, m)
		skips = append(skips, x)
		x = g.resample(l, x)
	}
	for _, b := range n.mid {
		x = g.actionBlock(b, x, m)
	}
	for i, l := range n.up { // the output of the first level is not used on the way up
		x = g.resample(l, g.actionLevel(l, g.concat(x, skips[len(skips)-1-i]), m))
	}
	x = g.actionConv(n.head, x)
	g.watch("final_conv.0", x)
	g.leaveRows(0, g.rowConv(n.last, x))
	return g.finish()
}

// time lays out the embedding of the timestep, once for all samples where they share it.
func (n *ActionUNet) time(g *graph) *signal {
	g.timed = true
	g.once = g.purpose != training && g.purpose != observing
	e := g.signal(1, n.config.TimeDim)
	g.does(func(r *run) {
		for i := range r.n {
			n.embedding.write(r.vector(e, i), r.timestep(i))
		}
	}, e)
	out := g.conv(n.second, g.activate(mish, g.conv(n.first, e)))
	g.watch("time_embedding", out)
	g.once = false
	return out
}

// beside lays out one row after another for every sample; the first may be one for all.
func (g *graph) beside(a, b *signal) *signal {
	out := g.signal(1, a.channels+b.channels)
	g.from(out, nil, a, b)
	g.does(func(r *run) {
		for i := range r.n {
			row := r.vector(out, i)
			copy(row[copy(row, r.vector(a, i)):], r.vector(b, i))
		}
	}, out, a, b)
	g.onBackward(out, func(d *signal) {
		g.cut(a, d, 0)
		g.cut(b, d, a.channels)
	})
	return out
}

// actionLevel lays out the two blocks of a level.
func (g *graph) actionLevel(l *actionLevel, x, m *signal) *signal {
	return g.actionBlock(l.second, g.actionBlock(l.first, x, m), m)
}

// resample lays out the change of resolution after a level.
func (g *graph) resample(l *actionLevel, x *signal) *signal {
	if l.resample != nil {
		x = g.rowConv(l.resample, x)
	}
	g.watch(l.name+".2", x)
	return x
}

// actionConv lays out a convolution with its normalisation and Mish.
func (g *graph) actionConv(l actionConv, x *signal) *signal {
	return g.activate(mish, g.groupNorm(l.norm, g.rowConv(l.conv, x), false))
}

// actionBlock lays out a residual block; m is what it is modulated by.
func (g *graph) actionBlock(b *actionBlock, x, m *signal) *signal {
	f := g.conv(b.modulation, m)
	g.watch("film."+b.name, f)
	h := g.film(g.actionConv(b.first, x), f, f.channels == 2*b.second.conv.product.out)
	h = g.actionConv(b.second, h)
	if b.skip != nil {
		x = g.rowConv(b.skip, x)
	}
	out := g.plus(h, x)
	g.watch(b.name, out)
	return out
}
