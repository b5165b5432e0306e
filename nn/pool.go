package nn

import "github.com/go-pcd/pcd/internal/kernel"

// pool says which pixels a maximum is taken of.
type pool struct{ size, stride, before int }

// maxPool lays out the maximum of every window. Outside the image there is nothing.
func (g *graph) maxPool(p pool, in *signal) *signal {
	after := p.before
	out := g.image((in.height+p.before+after-p.size)/p.stride+1, (in.width()+p.before+after-p.size)/p.stride+1, in.channels)
	g.from(out, nil, in)
	g.tasks(out.height, func(r *run, task int, _ *kernel.Hand) { p.forward(r, out, in, task/out.height, task%out.height) }, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.tasks(1, func(r *run, i int, h *kernel.Hand) { p.backward(r, h, i, part, in, out, d) }, part, in, out, d)
		})
	})
	return out
}

// forward writes a line of the result for sample i.
func (p pool) forward(r *run, out, in *signal, i, line int) {
	x, c := r.all(in)[i*in.size():][:in.size()], in.channels
	y := r.all(out)[i*out.size()+line*out.width()*c:][:out.width()*c]
	for o := range out.width() { // begins with the first of every window
		first := max(0, line*p.stride-p.before)*in.width() + max(0, o*p.stride-p.before)
		copy(y[o*c:(o+1)*c], x[first*c:])
	}
	p.windows(in, out, line, func(first, n, at int) {
		m := pixels(y[first*c:], n, c, 1)
		kernel.Larger(m, pixels(x[at*c:], n, c, p.stride), m)
	})
}

// pixels returns n pixels, some pixels apart, as rows.
func pixels(x []float32, n, channels, apart int) kernel.Matrix {
	return kernel.Matrix{Data: x, Rows: n, Cols: channels, Stride: apart * channels}
}

// windows calls do for every pixel of the windows of a line of the result: n windows from the
// first on have it, in pixels of the image from the given one on that are a stride apart.
func (p pool) windows(in, out *signal, line int, do func(first, n, at int)) {
	for y := max(0, line*p.stride-p.before); y < min(in.height, line*p.stride-p.before+p.size); y++ {
		for k := range p.size {
			first := max(0, (p.before-k+p.stride-1)/p.stride)
			end := min(out.width(), (in.width()-1+p.before-k+p.stride)/p.stride)
			if n := end - first; n > 0 {
				do(first, n, y*in.width()+first*p.stride-p.before+k)
			}
		}
	}
}

// backward gives every cotangent of sample i to the first pixel of its window that has the
// maximum.
func (p pool) backward(r *run, h *kernel.Hand, i int, dIn, in, out, d *signal) {
	c := in.channels
	x, dx := r.all(in)[i*in.size():][:in.size()], r.all(dIn)[i*in.size():][:in.size()]
	clear(dx)
	rest := h.Floats(d.width() * c)
	for line := range d.height {
		at := i*d.size() + line*d.width()*c
		y := r.all(out)[at:][:len(rest)]
		copy(rest, r.all(d)[at:])
		p.windows(in, out, line, func(first, n, at int) {
			kernel.LargerGrad(pixels(dx[at*c:], n, c, p.stride), pixels(x[at*c:], n, c, p.stride),
				pixels(y[first*c:], n, c, 1), pixels(rest[first*c:], n, c, 1))
		})
	}
}

// average lays out the mean of every channel over the pixels.
func (g *graph) average(in *signal) *signal {
	out := g.signal(1, in.channels)
	g.from(out, nil, in)
	scale := 1 / float32(in.length)
	g.tasks(1, func(r *run, i int, h *kernel.Hand) {
		y := r.vector(out, i)
		sumColumns(y, r.sample(in, i), h.Doubles(in.channels))
		for c := range y {
			y[c] *= scale
		}
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.rows(part, func(r *run, m kernel.Matrix, first int) {
				for row := range m.Rows {
					dy := r.vector(d, (first+row)/in.length)
					for c := range m.Cols {
						m.Data[row*m.Stride+c] = dy[c] * scale
					}
				}
			}, d)
		})
	})
	return out
}
