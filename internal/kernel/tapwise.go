package kernel

// tapwise is a convolution or its pullback as one product for every tap, with the pixels
// whose tap meets the image and no others: of images of 2×2 pixels, four of nine. A task has
// some pixels of the result. It packs panels of the weights of all taps at once, some
// channels at a time.
type tapwise struct {
	conv       Conv
	dst, src   Images
	transposed bool // from output to input channels
	bias       []float32
	add        bool

	lines, columns [][]meeting // by line and column of taps
}

const (
	tapwiseRows = 384 // pixels of a task that a tap takes
	tapwiseK    = 256 // channels that are packed at a time
)

// tapwise reports whether the convolution of images, or its pullback, that is not computed
// by minimal filtering is computed so. With few channels the products of several taps are
// better computed together.
func (v *Conv) tapwise() bool {
	return v.Size > 1 && !v.Double && min(v.In, v.Out) >= 16
}

// run computes all tasks.
func (w *tapwise) run(c *Crew) {
	w.lines = w.conv.meetings(c, w.dst.Height, w.src.Height, w.transposed)
	w.columns = w.conv.meetings(c, w.dst.Width, w.src.Width, w.transposed)
	rows, all := tapwiseRows, w.dst.Matrix().Rows
	if w.transposed {
		rows *= w.conv.Stride * w.conv.Stride
	}
	blocks := ceil(all, rows)
	across := cut(ceil(w.dst.Channels, stripWidth()), c.even(ceil(8*c.Size(), blocks), blocks), 1)
	t := tapwiseTasks{*w, blocking{cut(all, blocks, 1), across}}
	share(c, t.tasks(), t, func(w *tapwiseTasks, task int, h *Hand) {
		first, n, panel, panels := w.at(task)
		width := stripWidth()
		w.task(h, first, n, panel*width, min((panel+panels)*width, w.dst.Channels))
	})
}

// tapwiseTasks is a convolution that is cut into tasks.
type tapwiseTasks struct {
	tapwise
	blocking
}

// task computes the columns column ... end-1 of n pixels of the result.
func (w *tapwise) task(h *Hand, first, n, column, end int) {
	width, channels := stripWidth(), w.src.Channels
	taps := w.conv.Size * w.conv.Size
	block := min(tapwiseK, channels)
	mixed, panel := h.Floats((taps*block+transposeSpare)*width), h.Floats(taps*block*width)
	all := w.pairs(h, first, n)
	mark := h.memory.used
	w.start(first, n, column, end)
	for ; column < end; column += width {
		s := strip{dst: w.dst.Data[first*w.dst.Pixel+column:], cols: min(width, end-column), add: true}
		for k := 0; k < channels; k += block {
			s.k = min(block, channels-k)
			h.memory.used = mark
			w.conv.packTaps(mixed, h, w.transposed, column, k, s.k)
			w.sort(panel, mixed, s.k)
			for t, p := range all {
				s.to, s.from = p.to, p.from
				s.a, s.panel = w.src.Data[k:], panel[t*s.k*width:]
				s.run()
			}
		}
	}
}

// sort brings the rows of panels of n channels from the order of channels to that of taps.
func (w *tapwise) sort(dst, src []float32, n int) {
	width, taps := stripWidth(), w.conv.Size*w.conv.Size
	for t := range taps {
		for i := range n {
			to, from := dst[(t*n+i)*width:][:width], src[(i*taps+t)*width:]
			if width == 32 { // the common case, without a call
				*(*[32]float32)(to) = [32]float32(from)
			} else {
				copy(to, from)
			}
		}
	}
}

// start writes the bias to some columns of n pixels of the result, or adds it.
func (w *tapwise) start(first, n, column, end int) {
	for i := range n {
		pixel := w.dst.Data[(first+i)*w.dst.Pixel:][column:end]
		if !w.add {
			clear(pixel)
		}
		if w.bias != nil {
			addTo(pixel, w.bias[column:end])
		}
	}
}

// meeting is a line or column of the result and that of the argument which a tap takes for it.
type meeting struct{ to, from int }

// meetings returns those of every line of taps.
func (v *Conv) meetings(c *Crew, results, arguments int, transposed bool) [][]meeting {
	all := c.meetings.list(v.Size)
	for t := range all {
		all[t] = c.lines.list(max(results, arguments))[:0]
		for i := range max(results, arguments) {
			if m := v.meeting(t, i, transposed); m.within(results, arguments) {
				all[t] = append(all[t], m)
			}
		}
	}
	return all
}

// meetingCount returns how many there are.
func (v *Conv) meetingCount(results, arguments int, transposed bool) (n int) {
	for t := range v.Size {
		for i := range max(results, arguments) {
			if v.meeting(t, i, transposed).within(results, arguments) {
				n++
			}
		}
	}
	return n
}

// meeting returns what line or column i, of the smaller of both, meets through a line of
// taps.
func (v *Conv) meeting(t, i int, transposed bool) meeting {
	other := i*v.Stride + t - v.Before
	if transposed {
		return meeting{other, i}
	}
	return meeting{i, other}
}

// within reports whether both are inside.
func (m meeting) within(results, arguments int) bool {
	return 0 <= m.to && m.to < results && 0 <= m.from && m.from < arguments
}

// pairs are the offsets, in bytes, of pixels of the result and of those that a tap takes for
// them.
type pairs struct{ to, from []int }

// pairs returns those of every tap for n pixels of the result.
func (w *tapwise) pairs(h *Hand, first, n int) []pairs {
	size := w.conv.Size
	all, offsets := h.pairs.list(size*size), h.ints(2*n*size*size)
	for t := range all {
		all[t] = pairs{offsets[2*n*t:][:0:n], offsets[2*n*t+n:][:0:n]}
		p, pixels := &all[t], w.dst.pixels()
		for image := first / pixels; image*pixels < first+n; image++ {
			for _, y := range w.lines[t/size] {
				to, from := image*pixels+y.to*w.dst.Width-first, (image*w.src.Height+y.from)*w.src.Width
				if to >= n {
					break
				}
				p.line(w, w.columns[t%size], to, from, n)
			}
		}
	}
	return all
}

// line appends the pairs of a line that are among the first n pixels of the result.
func (p *pairs) line(w *tapwise, columns []meeting, to, from, n int) {
	if to+w.dst.Width <= 0 {
		return
	}
	for _, x := range columns {
		if at := to + x.to; 0 <= at && at < n {
			p.to = append(p.to, 4*at*w.dst.Pixel)
			p.from = append(p.from, 4*(from+x.from)*w.src.Pixel)
		}
	}
}
