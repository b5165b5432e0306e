package nn

import "github.com/go-pcd/pcd/internal/kernel"

// enterImage lays out the copy of a caller's images, channels first, to pixels. It wants
// their cotangents if wanted.
func (g *graph) enterImage(port, height, width, channels int, wanted bool) *signal {
	x := g.image(height, width, channels)
	g.in[port] = g.place(g.signal(channels, height*width), external)
	g.does(transposed(x, g.in[port]), x)
	g.wantInput(port, x, wanted, transposed)
	return x
}

// enterRows lays out the copy of a caller's rows.
func (g *graph) enterRows(port, length, channels int, wanted bool) *signal {
	return g.enterTo(g.signal(length, channels), port, wanted)
}

// enterSequences lays out the copy of a caller's sequences.
func (g *graph) enterSequences(port, length, channels int, wanted bool) *signal {
	return g.enterTo(g.sequence(length, channels), port, wanted)
}

func (g *graph) enterTo(x *signal, port int, wanted bool) *signal {
	g.in[port] = g.place(g.signal(x.length, x.channels), external)
	g.does(copied(x, g.in[port]), x)
	g.wantInput(port, x, wanted, copied)
	return x
}

// wantInput lays out how the cotangent of an input reaches the caller.
func (g *graph) wantInput(port int, x *signal, wanted bool, back mover) {
	if !wanted || !g.purpose.backwards() {
		return
	}
	x.needs = true
	g.dIn[port] = g.place(g.signal(g.in[port].length, g.in[port].channels), external)
	g.onBackward(x, func(d *signal) {
		move := back(g.dIn[port], d)
		g.does(func(r *run) {
			if r.slots[external][g.dIn[port].slot] != nil { // a training may not want it
				move(r)
			}
		}, d)
	})
}

// leaveImage lays out the copy of pixels to a caller's images, channels first.
func (g *graph) leaveImage(port int, x *signal) {
	g.leave(port, x, x.channels, x.length, transposed)
}

// leaveRows lays out the copy of rows to the caller.
func (g *graph) leaveRows(port int, x *signal) {
	g.leave(port, x, x.length, x.channels, copied)
}

func (g *graph) leave(port int, x *signal, length, channels int, move mover) {
	out := g.place(&signal{length: length, channels: channels}, external)
	if g.purpose != differentiating && g.purpose != conditioning {
		g.out[port] = out
		g.does(move(out, x), x)
	}
	if !g.purpose.backwards() {
		return
	}
	g.dOut[port] = g.place(&signal{length: length, channels: channels}, external)
	if !x.needs {
		return
	}
	g.undo = append(g.undo, func() {
		g.gives(x, func(part *signal) { g.does(move(part, g.dOut[port]), part) })
	})
}

// mover makes the operation that copies a signal to another one.
type mover func(dst, src *signal) operation

// copied copies the elements as they lie.
func copied(dst, src *signal) operation {
	if dst.pad != src.pad {
		do := func(r *run, m kernel.Matrix, first int) {
			copy(m.Data[:m.Rows*m.Cols], r.block(src, first, m.Rows).Data)
		}
		return func(r *run) { r.rows(dst, do) }
	}
	return func(r *run) { copy(r.data(dst)[:r.n*dst.size()], r.data(src)[:r.n*src.size()]) }
}

// transposed copies the rows of every sample to columns.
func transposed(dst, src *signal) operation {
	const rows = 256
	blocks := (src.length + rows - 1) / rows
	do := func(r *run, task int, _ *kernel.Hand) {
		x, y := r.data(src), r.data(dst)
		i, first := task/blocks, task%blocks*rows
		for row := first; row < min(first+rows, src.length); row++ {
			out := y[i*dst.size()+row:]
			for c, v := range x[i*src.size()+row*src.channels:][:src.channels] {
				out[c*dst.channels] = v
			}
		}
	}
	return func(r *run) { r.share(r.n*blocks, do) }
}

// fold makes what the pixels of an enlarged image add up to a part of the cotangent of the image
// in: four of them, or two or one at an edge where the last row or column was cut off.
func (g *graph) fold(in, large *signal) {
	c, w := in.channels, in.width()
	g.gives(in, func(part *signal) {
		g.tasks(in.height, func(r *run, task int, _ *kernel.Hand) {
			width, image, y := large.width(), task/in.height, task%in.height
			lines := r.all(large)[(image*large.height+2*y)*width*c:][:min(2, large.height-2*y)*width*c]
			first, second := lines[:width*c], lines[width*c:]
			for x := range w {
				from, to := 2*x*c, min(2*x+2, width)*c
				foldPixels(r.all(part)[(task*w+x)*c:][:c], first[from:to], second[min(from, len(second)):min(to, len(second))])
			}
		}, part, large)
	})
}

// foldPixels adds up the one or two pixels of a line, and those of the next one if there is one.
func foldPixels(dst, first, second []float32) {
	c := len(dst)
	if len(first) == 2*c && len(second) == 2*c {
		for j := range dst {
			dst[j] = (first[j] + first[c+j]) + (second[j] + second[c+j])
		}
		return
	}
	clear(dst)
	for _, line := range [][]float32{first, second} {
		for j, v := range line {
			dst[j%c] += v
		}
	}
}
