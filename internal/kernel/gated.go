package kernel

// A gated linear unit of a linear map: the columns of both halves are computed side by side and
// multiplied while they are in the second-level cache. What the map gives, twice as wide as what
// comes out, never goes through memory.

// Gates reports whether [Linear.ForwardGated] computes it so: not where products go to matrix
// tiles.
func (l *Linear) Gates() bool {
	p := matmul{k: l.In, n: l.Out, left: leftRows{length: l.In}}
	return !p.split() && !l.byDots()
}

// ForwardGated writes the first half of W x + b times the GELU of the second half for every row
// of src to dst, whose rows are half as long: bit by bit what [Linear.Forward] and [GEGLU] give.
func (l Linear) ForwardGated(c *Crew, dst, src Matrix) {
	if src.Cols != l.In || 2*dst.Cols != l.Out || src.Rows != dst.Rows || l.Weight.Len() != l.In*l.Out {
		panic("kernel: gated unit of matrices that do not fit it")
	}
	dst.check()
	src.check()
	p := l.product(c, dst, src)
	t := p.cut(c, ceil(dst.Cols, stripWidth()))
	share(c, t.tasks(), gatedTasks{t, dst}, (*gatedTasks).task)
}

// gatedTasks is a gated unit that is cut into tasks.
type gatedTasks struct {
	matmulTasks
	out Matrix
}

func (p *gatedTasks) task(task int, h *Hand) {
	first, n, panel, panels := p.at(task)
	width := stripWidth()
	both := Matrix{h.Floats(2 * n * width), n, 2 * width, 2 * width}
	s := strip{from: h.ints(n), to: h.denseRows(n, both.Stride), panel: h.Floats(matmulK * width)}
	p.left.at.write(s.from, first)
	mark := h.memory.used
	for from := panel * width; from < min((panel+panels)*width, p.out.Cols); from += width {
		cols := min(width, p.out.Cols-from)
		for half := range 2 {
			h.memory.used = mark
			s.dst, s.cols = both.Data[half*width:], cols
			p.column(h, s, half*p.out.Cols+from)
		}
		gate(p.out.part(first, n).columns(from, cols), both.columns(0, cols), both.columns(width, cols))
	}
}

// column computes the columns of a panel from the given one on.
func (p *matmul) column(h *Hand, s strip, n int) {
	s.bias = p.biasOf(h, n, s.cols)
	mark := h.memory.used
	for k := 0; k < p.k; k += s.k * s.segments {
		h.memory.used = mark
		s.k, s.segments = p.left.chunk(k, p.k)
		s.a, s.add = p.left.from(k), k > 0
		p.right.pack(s.panel, h, n, k, s.k*s.segments)
		s.run()
	}
}

// gate writes a times the GELU of b.
func gate(dst, a, b Matrix) {
	if active == Portable {
		portableGEGLU(dst, a, b)
		return
	}
	s := sweepOf(dst, a, b)
	s.inBlocks(opGEGLU)
}
