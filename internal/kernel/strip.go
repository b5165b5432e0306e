package kernel

// strip is the product of some rows with one panel, which is packed for a task and
// forgotten after it. Element by element it gives the bits of [Product].
type strip struct {
	dst, a   []float32
	to, from []int // offsets of the rows of dst and a, in bytes
	panel    []float32
	k, cols  int
	segments int          // of k elements of a row of a; 0 is one
	jump     int          // elements from one segment to the next
	bias     []float32    // of a whole panel; sets dst
	add      bool         // adds to dst instead
	left     *splitRows   // left rows on matrix tiles, where they are
	ahead    [2][]float32 // what is fetched meanwhile, one after the other
}

// stripWidth returns the columns of a panel.
func stripWidth() int { return panelWidth[active] }

func (s *strip) run() {
	if len(s.from) == 0 {
		return
	}
	switch {
	case s.left != nil:
		s.onTiles()
	case active == Portable:
		s.portable()
	default:
		s.vector()
	}
}

func (s *strip) portable() {
	for i := 0; i < len(s.from); i += 2 {
		j := min(i+1, len(s.from)-1)
		first, second := s.dst[s.to[i]/4:][:s.cols], s.dst[s.to[j]/4:][:s.cols]
		if !s.add {
			copy(first, s.bias)
			copy(second, s.bias)
		}
		var t [8]float32
		copy(t[:4], first)
		copy(t[4:], second)
		for q := range max(1, s.segments) {
			a := s.a[q*s.jump:]
			tile2x4(&t, a[s.from[i]/4:][:s.k], a[s.from[j]/4:][:s.k], s.panel[4*q*s.k:])
		}
		copy(first, t[:4])
		copy(second, t[4:])
	}
}

// denseRows returns the byte offsets of n rows, stride elements apart, until the task ends.
func (h *Hand) denseRows(n, stride int) []int {
	at := h.ints(n)
	for i := range at {
		at[i] = 4 * i * stride
	}
	return at
}

// zeros is a bias of zeros for a panel.
var zeros [32]float32

// panelSource yields the columns n ... n+width-1 of the rows k ... k+rows-1 of the
// right matrix of a product.
type panelSource interface {
	pack(panel []float32, h *Hand, n, k, rows int)
}

// rowMajor is a right matrix whose element (k, n) is element n·Stride + k of a tensor:
// the weights [N, K] of a linear layer.
type rowMajor struct {
	t      Tensor
	n      int
	stride int
}

func (m rowMajor) pack(panel []float32, h *Hand, n, k, rows int) {
	width := stripWidth()
	lanes := min(width, m.n-n)
	if m.t.Floats != nil {
		transpose(panel, width, m.t.Floats[n*m.stride+k:], m.stride, lanes, rows)
		return
	}
	work := h.Floats(lanes * rows)
	for i := range lanes {
		m.t.Read(work[i*rows:(i+1)*rows], (n+i)*m.stride+k)
	}
	transpose(panel, width, work, rows, lanes, rows)
}

// packAhead is how many rows of a panel are fetched ahead of those that are packed, which
// lie too far apart for the processor to guess.
const packAhead = 12

// columnMajor is a right matrix whose element (k, n) is element k·Stride + n of a
// tensor: the transpose of the weights of a linear layer.
type columnMajor struct {
	t      Tensor
	n      int
	stride int
}

func (m columnMajor) pack(panel []float32, _ *Hand, n, k, rows int) {
	width := stripWidth()
	lanes := min(width, m.n-n)
	for i := range rows {
		m.t.fetch((k+min(rows-1, i+packAhead))*m.stride+n, lanes)
		row := panel[i*width : (i+1)*width]
		if m.t.Floats != nil && lanes == 32 { // the common case, without a call
			*(*[32]float32)(row) = [32]float32(m.t.Floats[(k+i)*m.stride+n:])
			continue
		}
		m.t.Read(row[:lanes], (k+i)*m.stride+n)
		clear(row[lanes:])
	}
}

// transpose writes element (j, i) of src, lanes rows of n elements that are stride
// apart, to dst[i·width + j]. Of the columns past the lanes it may write any.
func transpose(dst []float32, width int, src []float32, stride, lanes, n int) {
	if n == 0 {
		return
	}
	if active != Portable {
		transposeVectors(dst, width, src[:(lanes-1)*stride+n], stride, lanes, n)
		return
	}
	for i := range n {
		row := dst[i*width : (i+1)*width]
		for j := range lanes {
			row[j] = src[j*stride+i]
		}
	}
}

// transposeSpare is how many elements past the last lane [transposeTaps] may read, and
// how many rows past the last tap it may write.
const transposeSpare = 7

// packTaps writes some columns of the weights of n channels, tap after tap for every
// channel, or those of the transposed weights. It may write transposeSpare rows more.
func (v *Conv) packTaps(panel []float32, h *Hand, transposed bool, column, k, n int) {
	width, taps := stripWidth(), v.Size*v.Size
	if !transposed {
		rowMajor{v.Weight, v.Out, v.In * taps}.pack(panel, h, column, k*taps, n*taps)
		return
	}
	lanes := min(width, v.In-column)
	work := h.Floats(lanes*taps + transposeSpare)
	for i := range n {
		v.Weight.fetch(((k+min(n-1, i+packAhead))*v.In+column)*taps, lanes*taps)
		transposeTaps(panel[i*taps*width:], width, v.Weight.viewSpare(work, ((k+i)*v.In+column)*taps, lanes*taps), lanes, taps)
	}
}

// transposeTaps transposes the taps of some lanes that follow one another.
func transposeTaps(dst []float32, width int, src []float32, lanes, taps int) {
	if active == Portable || taps != 9 {
		transpose(dst, width, src, taps, lanes, taps)
		return
	}
	transposeVectors(dst, width, src[:(lanes-1)*taps+taps+transposeSpare], taps, lanes, taps+transposeSpare)
}
