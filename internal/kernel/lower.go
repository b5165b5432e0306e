package kernel

// tap says which pixel a tap of the kernel takes: the one at step·(y, x) + (dy, dx).
type tap struct{ dy, dx, index int }

// lowered is a convolution, or the part of a pullback for every dstStep-th row and
// column, as a product: the left rows are the pixels that the taps take, one after the
// other, which is one pixel in place where there is only one tap. The taps are a
// rectangle, row by row.
type lowered struct {
	conv     Conv
	src, dst Images
	taps     []tap
	step     int  // rows and columns of src for one of the result
	double   bool // src is enlarged
	dstStep  int  // rows and columns of dst for one of the result
	y, x     int  // first of them in dst
	rows     int  // of an image of the result
	cols     int
}

// run computes the product with the weights, or with their transposes.
func (l *lowered) run(c *Crew, transposed bool, bias []float32, add bool) {
	l.rows = (l.dst.Height - l.y + l.dstStep - 1) / l.dstStep
	l.cols = (l.dst.Width - l.x + l.dstStep - 1) / l.dstStep
	if l.rows <= 0 || l.cols <= 0 {
		return
	}
	if len(l.taps) == 0 {
		l.clear(add)
		return
	}
	p := matmul{k: len(l.taps) * l.src.Channels, n: l.dst.Channels, right: own(c, tapWeights{&l.conv, l.taps, transposed, l.conv.Weight}),
		bias: bias, dst: l.dst.Data, to: places{by: (*resultPlaces)(l)}, add: add}
	if l.inPlace() {
		p.m = l.src.N * l.rows * l.cols
		p.left = leftRows{l.src.Data, places{by: (*argumentPlaces)(l)}, l.src.Channels, 0}
		p.run(c)
		return
	}
	defer c.done()
	newFrame(c, l).run(c, &p)
}

// clear writes zeros to the pixels that no tap reaches.
func (l *lowered) clear(add bool) {
	if add {
		return
	}
	for i := range l.src.N * l.rows * l.cols {
		clear(l.dst.Data[l.to(i):][:l.dst.Channels])
	}
}

// place returns image, row and column of a pixel of the result.
func (l *lowered) place(i int) (image, y, x int) {
	return i / (l.rows * l.cols), i / l.cols % l.rows, i % l.cols
}

// to returns the offset of a pixel of the result in dst.
func (l *lowered) to(i int) int {
	n, y, x := l.place(i)
	return ((n*l.dst.Height+l.dstStep*y+l.y)*l.dst.Width + l.dstStep*x + l.x) * l.dst.Pixel
}

// resultPlaces are the places of the pixels of the result.
type resultPlaces lowered

func (r *resultPlaces) place(at []int, first int) {
	l := (*lowered)(r)
	l.each(at, first, func(image, y, x int) int {
		return ((image*l.dst.Height+l.dstStep*y+l.y)*l.dst.Width + l.dstStep*x + l.x) * l.dst.Pixel
	})
}

// argumentPlaces are those of the pixels that the first tap takes, where it never leaves the
// image.
type argumentPlaces lowered

func (a *argumentPlaces) place(at []int, first int) {
	l := (*lowered)(a)
	l.each(at, first, func(image, y, x int) int { return l.pixel(image, y, x, l.taps[0]) })
}

// each fills in the offsets of pixels of the result, from image, row and column.
func (l *lowered) each(at []int, first int, offset func(image, y, x int) int) {
	image, y, x := l.place(first)
	for i := range at {
		at[i] = 4 * offset(image, y, x)
		if x++; x == l.cols {
			x, y = 0, y+1
		}
		if y == l.rows {
			y, image = 0, image+1
		}
	}
}

// block implements [leftSource].
func (l *lowered) block(h *Hand, at []int, first, k, n int) []float32 {
	if l.inPlace() {
		(*argumentPlaces)(l).place(at, first)
		return l.src.Data[k:]
	}
	rows := h.Floats(len(at) * n)
	pieces := l.pieces(h, k, n)
	image, y, x := l.place(first)
	for i := range at {
		at[i] = 4 * i * n
		row := rows[i*n : (i+1)*n]
		for _, p := range pieces {
			part := row[p.at : p.at+p.n]
			if from := l.pixel(image, y, x, p.tap); from >= 0 {
				copy(part, l.src.Data[from+p.channel:])
			} else {
				clear(part)
			}
		}
		if x++; x == l.cols {
			x, y = 0, y+1
		}
		if y == l.rows {
			y, image = 0, image+1
		}
	}
	return rows
}

// even implements [leftSource]: pixels that are copied follow one another.
func (l *lowered) even() bool {
	return !l.inPlace() || l.step == 1 && l.dstStep == 1 && !l.double
}

// piece is a part of a left row: some channels of the pixel that a tap takes.
type piece struct {
	tap
	channel, at, n int
}

// pieces returns those of the elements k ... k+n-1 of the rows.
func (l *lowered) pieces(h *Hand, k, n int) []piece {
	channels := l.src.Channels
	all := h.pieces.list(n/channels + 2)[:0]
	for j := 0; j < n; {
		p := piece{l.taps[(k+j)/channels], (k + j) % channels, j, 0}
		p.n = min(n-j, channels-p.channel)
		all = append(all, p)
		j += p.n
	}
	return all
}

// inPlace reports whether the left rows are pixels of src: one tap that never leaves it.
func (l *lowered) inPlace() bool {
	return len(l.taps) == 1 && l.from(0, l.taps[0]) >= 0 && l.from(l.rows*l.cols-1, l.taps[0]) >= 0
}

// from returns the offset of the pixel that a tap takes for pixel i of the result; see
// pixel.
func (l *lowered) from(i int, t tap) int {
	n, y, x := l.place(i)
	return l.pixel(n, y, x, t)
}

// pixel returns the offset of the pixel that a tap takes for a pixel of the result, and
// less than zero for one outside the image.
func (l *lowered) pixel(n, y, x int, t tap) int {
	return l.at(n, l.step*y+t.dy, l.step*x+t.dx)
}

// at returns the offset of a pixel of the image, enlarged if it is to be, and less than
// zero outside.
func (l *lowered) at(n, y, x int) int {
	if y < 0 || x < 0 {
		return -1
	}
	if l.double {
		if h, w := l.conv.enlarged(l.src.Height, l.src.Width); y >= h || x >= w {
			return -1
		}
		y, x = y/2, x/2
	}
	if y >= l.src.Height || x >= l.src.Width {
		return -1
	}
	return ((n*l.src.Height+y)*l.src.Width + x) * l.src.Pixel
}

// tapWeights is the right matrix of a lowered convolution: channels of one tap after
// those of the other.
type tapWeights struct {
	conv       *Conv
	taps       []tap
	transposed bool // from output channels to input channels
	weight     Tensor
}

// pack implements [panelSource].
func (w tapWeights) pack(panel []float32, h *Hand, n, k, rows int) {
	v := w.conv
	width, taps := stripWidth(), v.Size*v.Size
	channels, lanes := v.In, min(width, v.Out-n)
	if w.transposed {
		channels, lanes = v.Out, min(width, v.In-n)
	}
	if taps == 1 && w.transposed {
		columnMajor{w.weight, v.In, v.In}.pack(panel, h, n, k, rows)
		return
	}
	if taps == 1 {
		rowMajor{w.weight, v.Out, v.In}.pack(panel, h, n, k, rows)
		return
	}
	mark := h.memory.used
	for j := 0; j < rows; {
		t, c := (k+j)/channels, (k+j)%channels
		count := min(rows-j, channels-c)
		w.packTap(panel[j*width:], h, n, lanes, w.taps[t].index, c, count)
		h.memory.used = mark
		j += count
	}
}

// packTap packs count channels of one tap.
func (w tapWeights) packTap(panel []float32, h *Hand, n, lanes, tap, channel, count int) {
	v := w.conv
	width, taps := stripWidth(), v.Size*v.Size
	if w.transposed {
		work := h.Floats(lanes * taps)
		for i := range count {
			row := w.weight.view(work, ((channel+i)*v.In+n)*taps, lanes*taps)
			for j := range lanes {
				panel[i*width+j] = row[j*taps+tap]
			}
			clear(panel[i*width+lanes : (i+1)*width])
		}
		return
	}
	work := h.Floats(count * taps)
	for j := range width {
		if j >= lanes {
			for i := range count {
				panel[i*width+j] = 0
			}
			continue
		}
		row := w.weight.view(work, ((n+j)*v.In+channel)*taps, count*taps)
		for i := range count {
			panel[i*width+j] = row[i*taps+tap]
		}
	}
}
