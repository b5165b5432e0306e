package nn

import "github.com/go-pcd/pcd/internal/kernel"

// enterImage lays out the copy of a caller's images, channels first, to pixels. It wants
// their cotangents if wanted.
func (g *graph) enterImage(port, height, width, channels int, wanted bool) *signal {
	x := g.image(height, width, channels)
	g.in[port] = g.place(g.signal(channels, height*width), external)
	g.does(func(r *run) { r.transpose(x, g.in[port]) }, x)
	g.wantInput(port, x, wanted, func(r *run, d *signal) { r.transpose(g.dIn[port], d) })
	return x
}

// enterRows lays out the copy of a caller's rows.
func (g *graph) enterRows(port, length, channels int, wanted bool) *signal {
	x := g.signal(length, channels)
	g.in[port] = g.place(g.signal(length, channels), external)
	g.does(func(r *run) { copy(r.all(x), r.data(g.in[port])) }, x)
	g.wantInput(port, x, wanted, func(r *run, d *signal) { copy(r.data(g.dIn[port])[:r.n*d.size()], r.all(d)) })
	return x
}

// wantInput lays out how the cotangent of an input reaches the caller.
func (g *graph) wantInput(port int, x *signal, wanted bool, back func(r *run, d *signal)) {
	if !wanted || !g.purpose.backwards() {
		return
	}
	x.needs = true
	g.dIn[port] = g.place(g.signal(g.in[port].length, g.in[port].channels), external)
	g.onBackward(x, func(d *signal) {
		g.does(func(r *run) {
			if r.slots[external][g.dIn[port].slot] != nil { // a training may not want it
				back(r, d)
			}
		}, d)
	})
}

// leaveImage lays out the copy of pixels to a caller's images, channels first.
func (g *graph) leaveImage(port int, x *signal) {
	g.leave(port, x, x.channels, x.length, (*run).transpose)
}

// leaveRows lays out the copy of rows to the caller.
func (g *graph) leaveRows(port int, x *signal) {
	g.leave(port, x, x.length, x.channels, func(r *run, dst, src *signal) {
		copy(r.data(dst)[:r.n*dst.size()], r.data(src)[:r.n*src.size()])
	})
}

func (g *graph) leave(port int, x *signal, length, channels int, move func(r *run, dst, src *signal)) {
	out := g.place(&signal{length: length, channels: channels}, external)
	if g.purpose != differentiating && g.purpose != conditioning {
		g.out[port] = out
		g.does(func(r *run) { move(r, out, x) }, x)
	}
	if !g.purpose.backwards() {
		return
	}
	g.dOut[port] = g.place(&signal{length: length, channels: channels}, external)
	if !x.needs {
		return
	}
	g.undo = append(g.undo, func() {
		g.gives(x, func(r *run, part *signal) { move(r, part, g.dOut[port]) })
	})
}

// transpose copies the rows of every sample to the columns of another signal.
func (r *run) transpose(dst, src *signal) {
	const rows = 256
	x, y := r.data(src), r.data(dst)
	blocks := (src.length + rows - 1) / rows
	r.crew.Do(r.n*blocks, func(task int, _ *kernel.Hand) {
		i, first := task/blocks, task%blocks*rows
		for row := first; row < min(first+rows, src.length); row++ {
			out := y[i*dst.size()+row:]
			for c, v := range x[i*src.size()+row*src.channels:][:src.channels] {
				out[c*dst.channels] = v
			}
		}
	})
}

// fold makes what four pixels of an enlarged image add up to a part of the cotangent of
// the image in.
func (g *graph) fold(in, large *signal) {
	c := in.channels
	g.gives(in, func(r *run, part *signal) {
		dx, dy := r.all(part), r.all(large)
		w := in.width()
		r.crew.Do(r.n*in.height, func(task int, _ *kernel.Hand) {
			for i := range w {
				to := dx[(task*w+i)*c:][:c]
				first, second := dy[(4*task*w+2*i)*c:][:2*c], dy[(4*task*w+2*w+2*i)*c:][:2*c]
				for j := range to {
					to[j] = (first[j] + first[c+j]) + (second[j] + second[c+j])
				}
			}
		})
	}, large)
}
