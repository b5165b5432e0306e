package kernel

// matmul is a product of a tall matrix, whose rows are made block by block, with a
// right matrix that is packed from where it lies: by every task anew, as few rows
// suffice to make up for it, so that packed weights need no memory of their own.
type matmul struct {
	m, k, n int
	left    leftRows
	right   panelSource
	bias    []float32 // or nil
	dst     []float32
	to      places // of the rows in dst
	add     bool
	plus    Matrix // nothing, or what is added to the result
}

// leftRows is the left matrix of a product, in place: rows of segments of length elements,
// jump elements apart. Rows may overlap.
type leftRows struct {
	data         []float32
	at           places
	length, jump int
}

// places says where rows lie: a number of elements apart, or as a placer says.
type places struct {
	stride int
	by     placer // or nil
}

// placer writes the offsets, in bytes, of the rows from the given one on.
type placer interface{ place(at []int, first int) }

// write writes the offsets, in bytes, of the rows from the given one on.
func (p places) write(at []int, first int) {
	if p.by != nil {
		p.by.place(at, first)
		return
	}
	for i := range at {
		at[i] = 4 * (first + i) * p.stride
	}
}

// chunk returns how much of the rows from element k on is worked on at a time: some
// segments, or a part of one.
func (l leftRows) chunk(k, total int) (length, segments int) {
	if l.length > matmulK {
		return min(matmulK, l.length-k%l.length), 1
	}
	return l.length, min(matmulK/l.length, (total-k)/l.length)
}

// from returns the elements from k on.
func (l leftRows) from(k int) []float32 { return l.data[k/l.length*l.jump+k%l.length:] }

const (
	matmulRows = 384
	matmulK    = 2 * blockK // how much of the inner index is worked on at a time
)

// run computes the product.
func (p *matmul) run(c *Crew) {
	t := p.cut(c, ceil(p.n, stripWidth()))
	share(c, t.tasks(), t, (*matmulTasks).task)
}

// cut cuts the product, with a number of panels, into tasks.
func (p *matmul) cut(c *Crew, panels int) matmulTasks {
	blocks := ceil(p.m, p.taskRows(c, panels))
	// Where there are few blocks of rows, they are cut by columns, too.
	across := cut(panels, c.even(ceil(8*c.Size(), blocks), blocks), 1)
	if blocks > 1 { // where there are too few columns to make the tasks even
		blocks = c.even(blocks, across.count)
	}
	return matmulTasks{*p, blocking{cut(p.m, blocks, TileRows), across}}
}

// matmulTasks is a product that is cut into tasks.
type matmulTasks struct {
	matmul
	blocking
}

func (p *matmulTasks) task(task int, h *Hand) {
	first, n, panel, panels := p.at(task)
	width := stripWidth()
	end := min((panel+panels)*width, p.n)
	p.matmul.task(h, first, n, panel*width, end)
	if p.plus.Data != nil {
		m := Matrix{p.dst, p.m, p.n, p.to.stride}.part(first, n).columns(panel*width, end-panel*width)
		Add(m, m, p.plus.part(first, n).columns(panel*width, end-panel*width))
	}
}

// taskRows returns how many rows a task has: more than usual where there are few panels, to
// make up for packing them, or where they are taken apart, too.
func (p *matmul) taskRows(c *Crew, panels int) int {
	most := 8 * matmulRows / panels
	if p.split() {
		most = splitRowsMost
	}
	return max(matmulRows, min(most, p.m/(4*c.Size())))
}

// task computes the columns from ... end-1 of some rows.
func (p *matmul) task(h *Hand, first, rows, from, end int) {
	width := stripWidth()
	offsets := h.ints(2 * rows)
	s := strip{from: offsets[:rows], to: offsets[rows:], jump: p.left.jump}
	p.to.write(s.to, first)
	p.left.at.write(s.from, first)
	if p.split() {
		p.onTiles(h, s, from, end)
		return
	}
	s.panel = h.Floats(matmulK * width)
	mark := h.memory.used
	for k := 0; k < p.k; k += s.k * s.segments {
		s.k, s.segments = p.left.chunk(k, p.k)
		s.a = p.left.from(k)
		for n := from; n < end; n += width {
			s.cols = min(width, end-n)
			h.memory.used = mark
			p.right.pack(s.panel, h, n, k, s.k*s.segments)
			s.add, s.bias = p.add || k > 0, p.biasOf(h, n, s.cols)
			s.dst = p.dst[n:]
			s.run()
		}
	}
	p.addBias(s.to, from, end)
}

// biasOf returns the bias of a panel.
func (p *matmul) biasOf(h *Hand, n, cols int) []float32 {
	if p.bias == nil {
		return zeros[:]
	}
	if cols == stripWidth() {
		return p.bias[n:]
	}
	b := h.Floats(stripWidth())
	clear(b[copy(b, p.bias[n:n+cols]):])
	return b
}

// addBias adds the bias to what has been added to.
func (p *matmul) addBias(to []int, from, end int) {
	if !p.add || p.bias == nil {
		return
	}
	for _, at := range to {
		addTo(p.dst[at/4:][from:end], p.bias[from:end])
	}
}

// rows returns the matrix as a left one.
func (m Matrix) rows() leftRows { return leftRows{m.Data, places{stride: m.Stride}, m.Cols, 0} }
