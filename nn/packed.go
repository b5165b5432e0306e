package nn

import "github.com/go-pcd/pcd/internal/kernel"

// packedConv is a convolution of sequences, or a linear map, whose weights are packed once for
// all passes. Forward and backward are the same kind of work: a few products whose left rows
// overlap, one for each [phase] of the output rows.
type packedConv struct {
	*conv
	forward, backward []phase
	index             []int32 // order of the weights in the gradient; see gather
}

// phase computes every len(phases)-th output row, from consecutive input rows.
type phase struct {
	first   int     // input row of the first tap, relative to stride·(output row)
	stride  int     // input rows per output row of the phase
	taps    []int   // kernel index for each input row
	minimal bool    // computed by minimal filtering
	offsets []int32 // of the rows of the packed weights in the weights
	step    int     // from one column to the next in the weights

	// The packed weights, one or the other.
	panels *kernel.Panels
	filter *kernel.Filter
}

// pack makes the packed form of a convolution of sequences.
func (p *params) pack(c *conv) *packedConv {
	q := &packedConv{conv: c}
	if c.transposed {
		q.forward = scatter(2, c.taps.before, c.taps.size)
		q.backward = []phase{window(-c.taps.before, 2, c.taps.size)}
	} else {
		q.forward = []phase{window(-c.taps.before, c.taps.stride, c.taps.size)}
		q.backward = scatter(c.taps.stride, c.taps.before, c.taps.size)
	}
	p.layers = append(p.layers, q)
	return q.locate(p.dry)
}

// minimal chooses minimal filtering for sequences of the given length, where the weights are
// packed and it is possible.
func (c *conv) minimal(length int) *conv {
	if q := c.packed; q != nil && !q.transposed && q.taps.stride == 1 && q.taps.size == kernel.FilterTaps && kernel.Filterable(q.in, q.out, length) {
		q.forward[0].minimal, q.backward[0].minimal = true, true
	}
	return c
}

// window is the phase of a plain convolution: row j takes the input rows from
// stride·j + first on, with taps in ascending order.
func window(first, stride, size int) phase {
	p := phase{first: first, stride: stride}
	for k := range size {
		p.taps = append(p.taps, k)
	}
	return p
}

// scatter returns the phases of the transpose of a convolution: output row
// o = stride·j + r gets input row i through tap k when o = stride·i - pad + k.
func scatter(stride, pad, size int) []phase {
	phases := make([]phase, stride)
	for r := range phases {
		p := phase{stride: 1}
		for d := -size; d <= size; d++ { // input row j + d
			if k := r + pad - stride*d; k >= 0 && k < size {
				if p.taps == nil {
					p.first = d
				}
				p.taps = append(p.taps, k)
			}
		}
		phases[r] = p
	}
	return phases
}

// locate finds where the elements of the products lie in the weights.
func (c *packedConv) locate(dry bool) *packedConv {
	if dry {
		return c
	}
	// Elements of the weights from one input channel, output channel and tap to the
	// next.
	in, out := c.taps.size, c.in*c.taps.size
	if c.transposed {
		in, out = c.out*c.taps.size, c.taps.size
	}
	for i := range c.forward {
		c.forward[i].locate(c.in, c.out, in, out)
	}
	for i := range c.backward {
		c.backward[i].locate(c.out, c.in, out, in)
	}
	c.index = c.gather()
	return c
}

func (p *phase) locate(rows, cols, rowStep, colStep int) {
	p.step = colStep
	for _, k := range p.taps {
		for r := range rows {
			p.offsets = append(p.offsets, int32(k+r*rowStep))
		}
	}
}

// refresh packs the weights for the forward or the backward products.
func (c *packedConv) refresh(phases []phase, rows, cols int, bias bool) {
	for i := range phases {
		p := &phases[i]
		if p.panels == nil && p.filter == nil {
			p.allocate(rows, cols)
		}
		w := p.weights()
		w.Pack(c.weight.Data, p.offsets, p.step)
		if bias {
			w.SetBias(c.bias.Data)
		}
	}
}

// packed is a form of the weights.
type packed interface {
	Pack(src []float32, rows []int32, stride int)
	SetBias(bias []float32)
}

func (p *phase) weights() packed {
	if p.minimal {
		return p.filter
	}
	return p.panels
}

// allocate makes room for the packed weights from rows to cols channels.
func (p *phase) allocate(rows, cols int) {
	if p.minimal {
		p.filter = kernel.NewFilter(rows, cols)
		return
	}
	p.panels = kernel.NewPanels(len(p.offsets), cols)
}

// packedSize returns the elements that allocate makes room for.
func (p *phase) packedSize(rows, cols int) int {
	if p.minimal {
		return kernel.FilterSize(rows, cols)
	}
	return kernel.PanelSize(len(p.offsets), cols)
}

func (c *packedConv) refreshForward() { c.refresh(c.forward, c.in, c.out, true) }

func (c *packedConv) refreshBackward() { c.refresh(c.backward, c.out, c.in, false) }

// backwardSize returns the elements of the weights packed for the way back.
func (c *packedConv) backwardSize() int {
	n := 0
	for i := range c.backward {
		n += c.backward[i].packedSize(c.out, c.in) + allocSlack
	}
	return n
}

// outLength returns the length of the output for a length of the input.
func (c *packedConv) outLength(length int) int {
	if c.transposed {
		return 2 * length
	}
	return length / c.taps.stride
}

// rows returns how output row j of phase i is found in the signal, and its offset.
func (s *signal) rows(i, phases int) (kernel.Rows, int) {
	return kernel.Rows{Length: s.length / phases, Stride: phases * s.channels, Jump: s.size()}, s.row(i)
}

// from returns where the left rows of a phase lie in the signal, and the first.
func (p *phase) from(s *signal, length int) (kernel.Rows, int) {
	return kernel.Rows{Length: length, Stride: p.stride * s.channels, Jump: s.size()}, s.row(p.first)
}

// shortSequence is the length up to which products leave out the zeros around a
// sequence: they are 30 % of a kernel of 5 on a length of 4, and 7 % on 16.
const shortSequence = 16

// bands returns which taps of the phase the output rows need, given the length of
// the input; rows with the same taps are one band.
func (p *phase) bands(rows, length, channels int) []kernel.Band {
	var bands []kernel.Band
	for j := range rows {
		first := p.stride*j + p.first // input row of tap 0
		lo, hi := max(0, -first)*channels, min(len(p.taps), length-first)*channels
		if rows > shortSequence {
			lo, hi = 0, len(p.taps)*channels
		}
		if len(p.taps) == 0 {
			return nil
		}
		if n := len(bands); n > 0 && bands[n-1].Lo == lo && bands[n-1].Hi == hi {
			bands[n-1].Length++
			continue
		}
		bands = append(bands, kernel.Band{First: j, Length: 1, Lo: lo, Hi: hi})
	}
	return bands
}

// products is the work of the phases of a convolution between two signals.
type products struct {
	phases   []phase
	bands    [][]kernel.Band
	dst, src *signal
	add      bool
}

func newProducts(phases []phase, dst, src *signal, add bool) *products {
	w := &products{phases: phases, dst: dst, src: src, add: add}
	for i := range phases {
		w.bands = append(w.bands, phases[i].bands(dst.length/len(phases), src.length, src.channels))
	}
	return w
}

// from leaves out the first channels of a linear map's input.
func (w *products) from(channels int) *products {
	w.bands[0][0].Lo = channels
	return w
}

// work returns the elements that the products need beside the signals.
func (w *products) work() int {
	if p := &w.phases[0]; p.minimal {
		return kernel.FilterWork(w.src.channels, w.dst.channels, w.dst.length)
	}
	return 0
}

// multiplyAdds returns the multiplications of the convolution for a sample, with and
// without those that bands leave out. Minimal filtering needs fewer, and counts like
// the rest.
func (w *products) multiplyAdds() (nominal, useful int) {
	for i, p := range w.phases {
		nominal += w.dst.length / len(w.phases) * len(p.offsets) * w.dst.channels
		for _, b := range w.bands[i] {
			useful += b.Length * (b.Hi - b.Lo) * w.dst.channels
		}
	}
	return nominal, useful
}

// run computes dst from src, for the samples of the chunk.
func (w *products) run(r *run) {
	x, y := r.data(w.src), r.data(w.dst)
	for i := range w.phases {
		p := &w.phases[i]
		to, at := w.dst.rows(i, len(w.phases))
		if len(p.taps) == 0 { // of a kernel of 1 with stride 2, every other row
			w.clear(y[at:], to, r.n)
			continue
		}
		from, start := p.from(w.src, to.Length)
		if p.minimal {
			p.filter.Apply(y[at:], to, x[start:], from, r.n, w.add, r.work)
			continue
		}
		kernel.ProductOfBands(y[at:], to, x[start:], from, r.n, w.bands[i], p.panels, w.add)
	}
}

// clear sets the rows of a phase without taps to zero, unless it adds to them.
func (w *products) clear(y []float32, to kernel.Rows, samples int) {
	for i := range samples * to.Length {
		if row := i/to.Length*to.Jump + i%to.Length*to.Stride; !w.add {
			clear(y[row : row+w.dst.channels])
		}
	}
}

// packed lays out a convolution whose weights are packed, for samples that are shared out.
func (g *graph) packed(c *packedConv, in *signal) *signal {
	out := g.like(in, c.out)
	out.length = c.outLength(in.length)
	if in.pad > 0 && (g.shortest == 0 || out.length < g.shortest) {
		g.shortest = out.length
	}
	g.from(out, c.weight, in)
	g.product(c, out, in, out, in)
	g.onBackward(out, func(d *signal) { g.packedBack(c, in, d) })
	return out
}

// packedLeave lays out a convolution whose result is the caller's.
func (g *graph) packedLeave(port int, c *packedConv, in *signal) {
	out := func() *signal { return g.place(g.signal(c.outLength(in.length), c.out), external) }
	if g.purpose != differentiating && g.purpose != conditioning {
		g.out[port] = out()
		g.product(c, g.out[port], in, in)
	}
	if g.purpose.backwards() {
		g.dOut[port] = out()
		g.undo = append(g.undo, func() { g.packedBack(c, in, g.dOut[port]) })
	}
}

// product lays out the products of a convolution.
func (g *graph) product(c *packedConv, out, in *signal, used ...*signal) {
	p := g.products(c.forward, out, in, false)
	nominal, useful := p.multiplyAdds()
	g.nominal += nominal
	g.useful += useful
	g.does(p.run, used...)
}

// packedBack lays out the way back from the cotangent d of the result: what the parameters
// learn, and the part of the cotangent of in.
func (g *graph) packedBack(c *packedConv, in, d *signal) {
	if g.trains(c.weight) {
		with := g.forAll(d)
		g.whole[in] = true
		g.gradients = append(g.gradients, c.gradients(in, with)...)
		g.sumSize = max(g.sumSize, c.sumRows()*panel)
		g.rowSize = max(g.rowSize, c.in*c.taps.size, panel*c.taps.size)
	}
	if sum, add := g.into(in); sum != nil {
		g.does(g.products(c.backward, sum, d, add).run, sum, d)
	}
}

// forAll returns a cotangent in memory that lasts for all samples of a training step.
func (g *graph) forAll(d *signal) *signal {
	if !d.lasts {
		all := g.signal(d.length, d.channels)
		g.copies(all, d)
		d = all
	}
	if d.place == scratch {
		g.whole[d] = true
	}
	return d
}

// products returns the products of the phases and sees that there is room for them.
func (g *graph) products(phases []phase, dst, src *signal, add bool) *products {
	p := newProducts(phases, dst, src, add)
	g.work = max(g.work, p.work())
	return p
}
