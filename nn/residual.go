package nn

// convBlock is a convolution with a normalisation and Mish.
type convBlock struct {
	conv *conv
	norm *norm
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

// activated wires dst = mish(norm(u)), modulated by f or with y added. Without a
// backward pass it replaces u.
func (w *wiring) activated(l *norm, u, y *signal, f film) (dst, stats *signal) {
	dst = u
	if w.backwards() || w.purpose == observing {
		dst = w.sequence(u.length, u.channels)
	}
	stats = w.activation(1, 2*l.groups, 0)
	w.channels = max(w.channels, l.channels)
	w.does(func(r *run) { l.forward(r, dst, u, stats, y, f) })
	if !w.backwards() {
		w.release(stats)
	}
	return dst, stats
}

// deactivate wires the backward pass of activated: the cotangent of u replaces u.
// dz is scratch and may be the cotangent dy of the result.
func (w *wiring) deactivate(l *norm, u, stats, dz, dy *signal, f film, dFilm *signal) {
	sums := normSums{film: dFilm}
	if w.purpose == training {
		sums.weight, sums.bias = w.new(kept, 1, l.channels, 0), w.new(kept, 1, l.channels, 0)
		w.gradients = append(w.gradients, l.gradients(sums))
		w.rowSize = max(w.rowSize, l.channels)
	}
	w.undoes(func(r *run) { l.backward(r, u, stats, dz, dy, f, sums) })
	w.release(stats)
}

// modulateBy makes s what the residual blocks are conditioned on.
func (w *wiring) modulateBy(s *signal) {
	if s.place == shared {
		w.common = s
		return
	}
	w.modulation = s
}

// modulate wires the map from the condition to the modulation of a block. What the
// channels that all samples have in common contribute is computed once.
func (w *wiring) modulate(l *residual) film {
	if w.common == nil {
		return film{w.convolve(l.modulation, w.modulation), l.scaled}
	}
	common := w.sharing(func() *signal { return w.convolve(l.modulation, w.common) })
	if w.modulation == nil {
		return film{common, l.scaled}
	}
	out := w.activation(1, common.channels, 0)
	own := w.products(l.modulation.forward, out, w.modulation, true).from(w.common.channels)
	_, useful := own.multiplyAdds()
	w.useful += useful
	w.does(func(r *run) {
		copyRows(r, out, common, 0, 0, common.channels)
		own.run(r)
	})
	return film{out, l.scaled}
}

// demodulate wires the backward pass of modulate, given the cotangent d.
func (w *wiring) demodulate(l *residual, d *signal) {
	w.learn(l.modulation, w.modulation, d)
	w.transpose(l.modulation, w.modulation, d)
	w.release(d)
}

// residual wires a block.
func (w *wiring) residual(l *residual, in *signal) *signal {
	f := w.modulate(l)
	u1 := w.convolve(l.first.conv, in)
	h, stats1 := w.activated(l.first.norm, u1, nil, f)
	u2 := w.convolve(l.second.conv, h)
	w.release(h)
	if !w.backwards() {
		w.release(f.signal)
	}
	x := in
	if l.skip != nil {
		x = w.take(in.length, l.skip.out, w.pad) // not needed backwards
		w.convolveTo(l.skip, x, in)
	}
	out, stats2 := w.activated(l.second.norm, u2, x, film{})
	if l.skip != nil {
		w.release(x)
	}
	w.onBackward(func() {
		d := w.cotangentOf(out)
		dz := w.skipBackward(l, in, d)
		w.deactivate(l.second.norm, u2, stats2, dz, d, film{}, nil)
		w.release(dz)
		w.learn(l.second.conv, h, u2)
		w.transpose(l.second.conv, h, u2)
		w.release(u2)
		w.firstBackward(l, in, h, u1, stats1, f)
	})
	return out
}

// skipBackward wires the way of the cotangent d around the two blocks and returns
// scratch for the way through them.
func (w *wiring) skipBackward(l *residual, in, d *signal) *signal {
	switch {
	case l.skip != nil:
		w.learn(l.skip, in, d)
		w.transpose(l.skip, in, d)
		return d
	case w.grads[in] == nil:
		w.grads[in] = d // the way through adds to it, after it has read it
		return w.like(d)
	}
	w.adds(w.grads[in], d)
	return d
}

func (w *wiring) firstBackward(l *residual, in, h, u1, stats1 *signal, f film) {
	dh := w.cotangentOf(h)
	var dFilm *signal
	if w.purpose == training || w.purpose == conditioning {
		dFilm = w.activation(1, f.signal.channels, 0)
	}
	w.deactivate(l.first.norm, u1, stats1, dh, dh, f, dFilm)
	w.release(dh)
	w.release(f.signal)
	if dFilm != nil {
		w.demodulate(l, dFilm)
	}
	w.learn(l.first.conv, in, u1)
	w.transpose(l.first.conv, in, u1)
	w.release(u1)
}

// block wires a convolution block that stands alone.
func (w *wiring) block(l convBlock, in *signal) *signal {
	u := w.convolve(l.conv, in)
	out, stats := w.activated(l.norm, u, nil, film{})
	w.onBackward(func() {
		d := w.cotangentOf(out)
		w.deactivate(l.norm, u, stats, d, d, film{}, nil)
		w.release(d)
		w.learn(l.conv, in, u)
		w.transpose(l.conv, in, u)
		w.release(u)
	})
	return out
}
