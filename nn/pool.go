package nn

import "github.com/go-pcd/pcd/internal/kernel"

// pool says which pixels a maximum is taken of.
type pool struct{ size, stride, before int }

// maxPool lays out the maximum of every window. Outside the image there is nothing.
func (g *graph) maxPool(p pool, in *signal) *signal {
	after := p.before
	out := g.image((in.height+p.before+after-p.size)/p.stride+1, (in.width()+p.before+after-p.size)/p.stride+1, in.channels)
	g.from(out, nil, in)
	g.does(func(r *run) {
		y := r.all(out)
		r.crew.Do(r.n*out.height, func(task int, _ *kernel.Hand) {
			for ox := range out.width() {
				dst := y[(task*out.width()+ox)*out.channels:][:out.channels]
				first := true
				p.window(r, in, task/out.height, task%out.height, ox, func(x []float32, _ int) {
					if first {
						copy(dst, x)
					} else {
						kernel.Larger(dst, x, dst)
					}
					first = false
				})
			}
		})
	}, out, in)
	g.onBackward(out, func(d *signal) {
		part := g.like(in, in.channels)
		g.does(func(r *run) { p.backward(r, part, in, out, d) }, part, in, out, d)
		g.give(in, part)
	})
	return out
}

// window calls do for the pixels of a window of sample i.
func (p pool) window(r *run, in *signal, i, oy, ox int, do func(x []float32, at int)) {
	x := r.all(in)
	for y := max(0, oy*p.stride-p.before); y < min(in.height, oy*p.stride-p.before+p.size); y++ {
		for c := max(0, ox*p.stride-p.before); c < min(in.width(), ox*p.stride-p.before+p.size); c++ {
			at := ((i*in.height+y)*in.width() + c) * in.channels
			do(x[at:at+in.channels], at)
		}
	}
}

// backward gives every cotangent to the first pixel that has the maximum.
func (p pool) backward(r *run, dIn, in, out, d *signal) {
	dx, y, dy := r.all(dIn), r.all(out), r.all(d)
	r.crew.Do(r.n, func(i int, h *kernel.Hand) {
		clear(dx[i*in.size() : (i+1)*in.size()])
		rest := h.Floats(d.channels)
		for o := range d.length {
			at := (i*d.length + o) * d.channels
			copy(rest, dy[at:at+d.channels])
			p.window(r, in, i, o/d.width(), o%d.width(), func(x []float32, from int) {
				kernel.LargerGrad(dx[from:from+len(x)], x, y[at:at+len(x)], rest)
			})
		}
	})
}

// average lays out the mean of every channel over the pixels.
func (g *graph) average(in *signal) *signal {
	out := g.signal(1, in.channels)
	g.from(out, nil, in)
	scale := 1 / float32(in.length)
	g.does(func(r *run) {
		x := r.pixels(in)
		r.crew.Do(r.n, func(i int, _ *kernel.Hand) {
			y := r.vector(out, i)
			sumColumns(y, block(x, i*in.length, in.length))
			for c := range y {
				y[c] *= scale
			}
		})
	}, out, in)
	g.onBackward(out, func(d *signal) {
		part := g.like(in, in.channels)
		g.does(func(r *run) {
			r.each(part, func(m kernel.Matrix, first int) {
				for row := range m.Rows {
					dy := r.vector(d, (first+row)/in.length)
					for c := range m.Cols {
						m.Data[row*m.Stride+c] = dy[c] * scale
					}
				}
			})
		}, part, d)
		g.give(in, part)
	})
	return out
}
