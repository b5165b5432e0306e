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
	g.does(func(r *run) {
		y := r.all(out)
		r.each(in, func(m kernel.Matrix, first int) {
			f.value(y[first*m.Cols:][:m.Rows*m.Cols], m.Data[:m.Rows*m.Cols])
		})
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(r *run, part *signal) {
			dx, dy := r.all(part), r.all(d)
			r.each(in, func(m kernel.Matrix, first int) {
				lo, hi := first*m.Cols, (first+m.Rows)*m.Cols
				f.grad(dx[lo:hi], m.Data[:m.Rows*m.Cols], dy[lo:hi])
			})
		}, in, d)
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

// gives lays out a part of the cotangent of s, which do writes from what others hold.
func (g *graph) gives(s *signal, do func(r *run, part *signal), others ...*signal) {
	part := g.like(s, s.channels)
	g.does(func(r *run) { do(r, part) }, append([]*signal{part}, others...)...)
	g.give(s, part)
}

// gated lays out a gated linear unit: the first half of the channels times the GELU of
// the second half. Source: Shazeer, "GLU variants improve transformer" (2020).
func (g *graph) gated(in *signal) *signal {
	out := g.like(in, in.channels/2)
	g.from(out, nil, in)
	g.does(func(r *run) {
		x := r.pixels(in)
		r.each(out, func(m kernel.Matrix, first int) { kernel.GEGLU(m, block(x, first, m.Rows)) })
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(r *run, part *signal) {
			x, dx := r.pixels(in), r.pixels(part)
			r.each(d, func(m kernel.Matrix, first int) {
				kernel.GEGLUGrad(block(dx, first, m.Rows), block(x, first, m.Rows), m)
			})
		}, in, d)
	})
	return out
}

// plus lays out the sum of two signals of one size.
func (g *graph) plus(a, b *signal) *signal {
	out := g.like(a, a.channels)
	g.from(out, nil, a, b)
	g.does(func(r *run) {
		x, y := r.pixels(a), r.pixels(b)
		r.each(out, func(m kernel.Matrix, first int) {
			kernel.Add(m, block(x, first, m.Rows), block(y, first, m.Rows))
		})
	}, out, a, b)
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
	scale := func(r *run, dst, src *signal) {
		x := r.all(src)
		r.each(dst, func(m kernel.Matrix, first int) {
			y := m.Data[:m.Rows*m.Cols]
			for i, v := range x[first*m.Cols:][:len(y)] {
				y[i] = f * v
			}
		})
	}
	g.does(func(r *run) { scale(r, out, a) }, out, a)
	g.onBackward(out, func(d *signal) {
		g.gives(a, func(r *run, part *signal) { scale(r, part, d) }, d)
	})
	return out
}

// shift lays out the sum of every row of a with the row b of its sample.
func (g *graph) shift(a, b *signal) *signal {
	out := g.like(a, a.channels)
	g.from(out, nil, a, b)
	g.does(func(r *run) {
		x, y := r.pixels(a), r.pixels(out)
		rows := min(a.length, max(1, blockElements/a.channels))
		blocks := (a.length + rows - 1) / rows
		r.crew.Do(r.n*blocks, func(task int, _ *kernel.Hand) {
			i, first := task/blocks, task%blocks*rows
			n, at := min(rows, a.length-first), i*a.length+first
			row := kernel.Matrix{Data: r.vector(b, i), Rows: n, Cols: a.channels}
			kernel.Add(block(y, at, n), block(x, at, n), row)
		})
	}, out, a, b)
	g.onBackward(out, func(d *signal) {
		g.lend(a, d)
		if !b.needs {
			return
		}
		g.gives(b, func(r *run, part *signal) {
			m := r.pixels(d)
			r.crew.Do(r.n, func(i int, _ *kernel.Hand) {
				sumColumns(r.vector(part, i), block(m, i*a.length, a.length))
			})
		}, d)
	})
	return out
}

// concat lays out the concatenation of channels, a first.
func (g *graph) concat(a, b *signal) *signal {
	out := g.like(a, a.channels+b.channels)
	g.from(out, nil, a, b)
	g.does(func(r *run) {
		x, y := r.pixels(a), r.pixels(b)
		r.each(out, func(m kernel.Matrix, first int) {
			for i := range m.Rows {
				row := m.Data[i*m.Stride:]
				copy(row[:x.Cols], x.Data[(first+i)*x.Cols:])
				copy(row[x.Cols:m.Cols], y.Data[(first+i)*y.Cols:])
			}
		})
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
	g.gives(s, func(r *run, part *signal) {
		x := r.pixels(d)
		r.each(part, func(m kernel.Matrix, first int) {
			for i := range m.Rows {
				copy(m.Data[i*m.Stride:][:m.Cols], x.Data[(first+i)*x.Cols+from:])
			}
		})
	}, d)
}

// sumColumns writes the sums of the columns, added up in float64.
func sumColumns(dst []float32, m kernel.Matrix) {
	sums := make([]float64, m.Cols)
	for i := range m.Rows {
		for c, v := range m.Data[i*m.Stride:][:m.Cols] {
			sums[c] += float64(v)
		}
	}
	for c, v := range sums {
		dst[c] = float32(v)
	}
}
