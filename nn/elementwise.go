package nn

import "github.com/go-pcd/pcd/internal/kernel"

var (
	gelu  = activation{kernel.GELU, kernel.GELUGrad}
	quick = activation{kernel.QuickGELU, kernel.QuickGELUGrad}
	relu  = activation{kernel.Rectify, kernel.RectifyGrad}
)

// activate lays out an elementwise function.
func (g *graph) activate(f activation, in *signal) *signal {
	out := g.like(in, in.channels)
	g.from(out, nil, in)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		f.value(m.Data[:m.Rows*m.Cols], r.elements(in, first, m.Rows))
	}, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.rows(part, func(r *run, m kernel.Matrix, first int) {
				f.grad(m.Data[:m.Rows*m.Cols], r.elements(in, first, m.Rows), r.elements(d, first, m.Rows))
			}, in, d)
		})
	})
	return out
}

// give makes d a part of the cotangent of s. Nobody else reads d.
func (g *graph) give(s, d *signal) {
	g.lend(s, d)
	if sum := g.sums[s]; sum != nil && sum.signal == d {
		sum.own = true
	}
}

// gives makes what lay lays out, from what others hold, a part of the cotangent of s.
func (g *graph) gives(s *signal, lay func(part *signal)) {
	part := g.like(s, s.channels)
	lay(part)
	g.give(s, part)
}

// gated lays out a gated linear unit: the first half of the channels times the GELU of
// the second half. Source: Shazeer, "GLU variants improve transformer" (2020).
func (g *graph) gated(in *signal) *signal {
	out := g.like(in, in.channels/2)
	g.from(out, nil, in)
	g.rows(out, func(r *run, m kernel.Matrix, first int) { kernel.GEGLU(m, r.block(in, first, m.Rows)) }, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.rows(d, func(r *run, m kernel.Matrix, first int) {
				kernel.GEGLUGrad(r.block(part, first, m.Rows), r.block(in, first, m.Rows), m)
			}, part, in)
		})
	})
	return out
}

// convGated lays out the gated linear unit of a linear map of rows.
func (g *graph) convGated(c *conv, in *signal) *signal {
	if l := c.map2(); g.purpose.backwards() || !l.Gates() {
		return g.gated(g.conv(c, in))
	}
	out := g.like(in, c.out/2)
	g.counts(out.length * c.out * c.in)
	g.does(func(r *run) { c.map2().ForwardGated(r.crew, r.pixels(out), r.pixels(in)) }, out, in)
	return out
}

// plus lays out the sum of two signals of one size.
func (g *graph) plus(a, b *signal) *signal {
	out := g.like(a, a.channels)
	g.from(out, nil, a, b)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		kernel.Add(m, r.block(a, first, m.Rows), r.block(b, first, m.Rows))
	}, a, b)
	g.onBackward(out, func(d *signal) {
		g.lend(a, d)
		g.lend(b, d)
	})
	return out
}

// times lays out a multiple of a signal.
func (g *graph) times(f float32, a *signal) *signal {
	out := g.like(a, a.channels)
	g.from(out, nil, a)
	scale := func(dst, src *signal) {
		g.rows(dst, func(r *run, m kernel.Matrix, first int) {
			y := m.Data[:m.Rows*m.Cols]
			for i, v := range r.elements(src, first, m.Rows) {
				y[i] = f * v
			}
		}, src)
	}
	scale(out, a)
	g.onBackward(out, func(d *signal) { g.gives(a, func(part *signal) { scale(part, d) }) })
	return out
}

// shift lays out the sum of every row of a with the row b of its sample.
func (g *graph) shift(a, b *signal) *signal {
	out := g.like(a, a.channels)
	g.from(out, nil, a, b)
	rows := min(a.length, max(1, blockElements/a.channels))
	blocks := (a.length + rows - 1) / rows
	g.tasks(blocks, func(r *run, task int, _ *kernel.Hand) {
		i, first := task/blocks, task%blocks*rows
		n, at := min(rows, a.length-first), i*a.length+first
		row := kernel.Matrix{Data: r.vector(b, i), Rows: n, Cols: a.channels}
		kernel.Add(r.block(out, at, n), r.block(a, at, n), row)
	}, out, a, b)
	g.onBackward(out, func(d *signal) {
		g.lend(a, d)
		g.sumBack(b, d)
	})
	return out
}

// sumBack makes d a part of the cotangent of what was added, a row for every sample or all rows.
func (g *graph) sumBack(b, d *signal) {
	if b.length == d.length {
		g.lend(b, d)
		return
	}
	if !b.needs {
		return
	}
	g.gives(b, func(part *signal) {
		g.tasks(1, func(r *run, i int, h *kernel.Hand) {
			sumColumns(r.vector(part, i), r.sample(d, i), h.Doubles(d.channels))
		}, part, d)
	})
}

// concat lays out the concatenation of channels, a first.
func (g *graph) concat(a, b *signal) *signal {
	out := g.like(a, a.channels+b.channels)
	g.from(out, nil, a, b)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		x, y := r.block(a, first, m.Rows), r.block(b, first, m.Rows)
		for i := range m.Rows {
			row := m.Data[i*m.Stride:]
			copy(row[:x.Cols], x.Data[i*x.Stride:])
			copy(row[x.Cols:m.Cols], y.Data[i*y.Stride:])
		}
	}, a, b)
	g.onBackward(out, func(d *signal) {
		g.cut(a, d, 0)
		g.cut(b, d, a.channels)
	})
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

// cut makes the channels of d from the given one on a part of the cotangent of s.
func (g *graph) cut(s, d *signal, from int) {
	if !s.needs {
		return
	}
	g.gives(s, func(part *signal) {
		g.rows(part, func(r *run, m kernel.Matrix, first int) {
			x := r.block(d, first, m.Rows)
			for i := range m.Rows {
				copy(m.Data[i*m.Stride:][:m.Cols], x.Data[i*x.Stride+from:])
			}
		}, d)
	})
}

// sumColumns writes the sums of the columns, added up in float64 in sums.
func sumColumns(dst []float32, m kernel.Matrix, sums []float64) {
	clear(sums)
	for i := range m.Rows {
		for c, v := range m.Data[i*m.Stride:][:m.Cols] {
			sums[c] += float64(v)
		}
	}
	for c, v := range sums {
		dst[c] = float32(v)
	}
}
