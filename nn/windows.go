package nn

import "github.com/go-pcd/pcd/internal/kernel"

// windows are the stretches of rows that the results of a convolution of sequences see:
// taps rows each, stride rows from one to the next, the first beginning before rows ahead
// of the sequence. Laid out as rows of their own, channel by channel, they make the
// convolution a linear map with the weights as a file has them.
type windows struct{ taps, stride, before int }

// count returns how many windows a sequence has that goes on for as many rows behind its end
// as before its beginning.
func (w windows) count(length int) int { return (length+2*w.before-w.taps)/w.stride + 1 }

// gather writes the windows of a sequence: element c·taps + k of row i of dst is channel c of
// row i·stride - before + k of src, 0 outside.
func (w windows) gather(dst, src []float32, channels int) {
	length, size := len(src)/channels, channels*w.taps
	for i := range len(dst) / size {
		row := dst[i*size:][:size]
		for k := range w.taps {
			at := i*w.stride - w.before + k
			if at < 0 || at >= length {
				for c := range channels {
					row[c*w.taps+k] = 0
				}
				continue
			}
			for c, v := range src[at*channels:][:channels] {
				row[c*w.taps+k] = v
			}
		}
	}
}

// scatter adds up the windows src where gather takes them from. It sets dst.
func (w windows) scatter(dst, src []float32, channels int) {
	clear(dst)
	length, size := len(dst)/channels, channels*w.taps
	for i := range len(src) / size {
		row := src[i*size:][:size]
		for k := range w.taps {
			at := i*w.stride - w.before + k
			if at < 0 || at >= length {
				continue
			}
			out := dst[at*channels:][:channels]
			for c := range out {
				out[c] += row[c*w.taps+k]
			}
		}
	}
}

// windows lays out the windows of a sequence, a row for each.
func (g *graph) windows(w windows, in *signal) *signal {
	out := g.image(1, w.count(in.length), w.taps*in.channels)
	return g.linearly(out, in,
		func(dst, src []float32) { w.gather(dst, src, in.channels) },
		func(dst, src []float32) { w.scatter(dst, src, in.channels) })
}

// unite lays out the sums of windows that lie over one another, a sequence of length rows.
func (g *graph) unite(w windows, in *signal, length int) *signal {
	out := g.image(1, length, in.channels/w.taps)
	return g.linearly(out, in,
		func(dst, src []float32) { w.scatter(dst, src, out.channels) },
		func(dst, src []float32) { w.gather(dst, src, out.channels) })
}

// linearly lays out a linear map of samples and its transpose.
func (g *graph) linearly(out, in *signal, do, undo func(dst, src []float32)) *signal {
	g.from(out, nil, in)
	each := func(dst, src *signal, do func(dst, src []float32)) {
		g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
			do(r.all(dst)[i*dst.size():][:dst.size()], r.all(src)[i*src.size():][:src.size()])
		}, dst, src)
	}
	each(out, in, do)
	g.onBackward(out, func(d *signal) { g.gives(in, func(part *signal) { each(part, d, undo) }) })
	return out
}

// byWindows lays out a convolution of sequences as the linear map of windows, or of the other
// direction.
func (g *graph) byWindows(c *conv, in *signal) *signal {
	w, product := windows{c.taps.size, c.taps.stride, c.taps.before}, conv{taps: same(1, 1), weight: c.weight}
	if c.transposed {
		product.in, product.out = c.out*c.taps.size, c.in
		return g.plusRow(c.bias, g.unite(w, g.transposed(&product, in), 2*in.length))
	}
	product.in, product.out, product.bias, product.dots = c.in*c.taps.size, c.out, c.bias, c.dots
	return g.conv(&product, g.windows(w, in))
}

// transposed lays out the linear map by the transpose of the weights of another.
func (g *graph) transposed(c *conv, in *signal) *signal {
	out := g.like(in, c.in)
	g.from(out, c.weight, in)
	g.counts(out.length * c.out * c.in)
	g.does(func(r *run) { c.pullback(r, out, in, false) }, out, in)
	g.onBackward(out, func(d *signal) {
		if g.trains(c.weight) {
			g.does(func(r *run) { c.learn(r, d, in) }, in, d)
		}
		if sum, add := g.into(in); sum != nil {
			g.does(func(r *run) { c.map2().Forward(r.crew, r.pixels(sum), r.pixels(d), add) }, sum, d)
		}
	})
	return out
}

// plusRow lays out the sum of every row and a parameter.
func (g *graph) plusRow(p *Param, in *signal) *signal {
	out := g.like(in, in.channels)
	g.from(out, p, in)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		kernel.Add(m, r.block(in, first, m.Rows), kernel.Matrix{Data: p.Data, Rows: m.Rows, Cols: m.Cols})
	}, in)
	g.onBackward(out, func(d *signal) {
		if g.trains(p) {
			sum := g.signal(1, d.channels)
			g.does(func(r *run) {
				sumColumns(r.vector(sum, 0), r.pixels(d), r.doubles(d.channels))
				addRow(p.Grad, r.vector(sum, 0))
			}, d, sum)
		}
		g.lend(in, d)
	})
	return out
}
