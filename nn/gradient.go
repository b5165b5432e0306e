package nn

import (
	"github.com/go-pcd/pcd/internal/kernel"
)

// gradientTask adds up the gradient of a part of the parameters over the whole
// batch, sample after sample, so that the sum does not depend on which worker
// computes it.
type gradientTask struct {
	cost int // about how many multiplications, to start the long ones first
	do   func(r *run, w *gradientScratch)
}

// gradientScratch is the memory of a worker for one task.
type gradientScratch struct{ sum, row []float32 }

// panel is how many output channels a task covers.
const panel = 32

// sumRows returns the rows of the sum of a task: for each phase and tap one for
// each input channel, and room for whole tiles.
func (c *packedConv) sumRows() int {
	n := 0
	for _, p := range c.forward {
		n += c.phaseRows(p)
	}
	return n
}

// phaseRows returns the rows of a phase in the sum: its last tap may fill a tile.
func (c *packedConv) phaseRows(p phase) int {
	return kernel.Round(len(p.taps)*c.in, kernel.TileRows) + kernel.TileRows
}

// gather returns, for the weights of one output channel (plain) or one input
// channel and the output channels of a panel (transposed), where each lies in the
// sum, relative to the first one.
func (c *packedConv) gather() []int32 {
	start := make([]int, c.taps.size) // row of the first input channel, by tap
	base := 0
	for _, p := range c.forward {
		for j, k := range p.taps {
			start[k] = base + j*c.in
		}
		base += c.phaseRows(p)
	}
	var index []int32
	if c.transposed {
		for o := range min(panel, c.out) {
			for k := range c.taps.size {
				index = append(index, int32(start[k]*panel+o))
			}
		}
		return index
	}
	for i := range c.in {
		for k := range c.taps.size {
			index = append(index, int32((start[k]+i)*panel))
		}
	}
	return index
}

// gradients returns the tasks for the weights and the bias, given the signals that
// hold the input and the cotangent of the output for the whole batch.
func (c *packedConv) gradients(in, out *signal) []gradientTask {
	var tasks []gradientTask
	for n := 0; n < c.out; n += panel {
		cols := min(panel, c.out-n)
		tasks = append(tasks, gradientTask{
			cost: out.length * c.in * c.taps.size * cols,
			do: func(r *run, w *gradientScratch) {
				c.sumOuter(r, w.sum, in, out, n, cols)
				c.scatter(w, n, cols)
				y := r.data(out)
				// The padding is zero and does no harm in the sum.
				rows := kernel.Matrix{Data: y[n:], Rows: r.n * (out.length + 2*out.pad), Cols: cols, Stride: out.channels}
				kernel.Sums(w.row[:cols], rows)
				c.bias.accumulate(n, w.row[:cols])
			},
		})
	}
	return tasks
}

// tapByTap is how many input channels make it worth while to sum the products of
// every tap on its own, without the rows where it meets padding.
const tapByTap = 128

// sumOuter sums the outer products of input and cotangent rows.
func (c *packedConv) sumOuter(r *run, sum []float32, in, out *signal, n, cols int) {
	x, y := r.data(in), r.data(out)
	for i := range c.forward {
		p := &c.forward[i]
		with, at := out.rows(i, len(c.forward))
		from, start := p.from(in, with.Length)
		if with.Length <= shortSequence && c.in >= tapByTap {
			c.sumTaps(r, sum, p, x, y[at+n:], in, with, cols)
		} else {
			kernel.TransposedProduct(sum, panel, len(p.taps)*c.in, cols, x[start:], from, y[at+n:], with, r.n, false)
		}
		sum = sum[c.phaseRows(*p)*panel:]
	}
}

// sumTaps sums the outer products tap by tap, each over the rows that it finds
// input for. Tiles that reach beyond the rows of a tap are overwritten by the next.
func (c *packedConv) sumTaps(r *run, sum []float32, p *phase, x, y []float32, in *signal, with kernel.Rows, cols int) {
	for t := range p.taps {
		// Row j of the phase meets input row stride·j + shift.
		shift := p.first + t
		lo := (max(0, -shift) + p.stride - 1) / p.stride
		hi := min(with.Length, (in.length-1-shift)/p.stride+1)
		dst := sum[t*c.in*panel:]
		if in.length-1-shift < 0 || lo >= hi {
			clear(dst[:c.in*panel])
			continue
		}
		from, rows := kernel.Rows{Length: hi - lo, Stride: p.stride * in.channels, Jump: in.size()}, with
		rows.Length = hi - lo
		kernel.TransposedProduct(dst, panel, c.in, cols, x[in.row(p.stride*lo+shift):], from, y[lo*with.Stride:], rows, r.n, false)
	}
}

// scatter adds the sum to the gradient of the weights, in their order.
func (c *packedConv) scatter(w *gradientScratch, n, cols int) {
	if c.transposed {
		row := w.row[:cols*c.taps.size]
		for i := range c.in {
			kernel.Gather(row, w.sum[i*panel:], c.index[:len(row)])
			c.weight.accumulate((i*c.out+n)*c.taps.size, row)
		}
		return
	}
	row := w.row[:c.in*c.taps.size]
	for o := range cols {
		kernel.Gather(row, w.sum[o:], c.index)
		c.weight.accumulate((n+o)*len(row), row)
	}
}

// accumulate adds values to a part of the gradient, or sets it after ZeroGrad.
func (p *Param) accumulate(at int, values []float32) {
	dst := p.Grad[at : at+len(values)]
	if p.fresh {
		copy(dst, values)
		return
	}
	kernel.Add(kernel.Vector(dst), kernel.Vector(dst), kernel.Vector(values))
}
