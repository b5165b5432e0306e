package kernel

// merged is the pullback of a convolution with a stride to few channels. Its parts for
// every stride-th row and column would each fill a few columns of a panel: they are
// computed as one product, whose columns are the channels of a square of pixels and whose
// taps are those of all parts, with weights of zero where a part has none.
type merged struct {
	lowered
	add     bool
	squares []float32
}

// mergedColumns is the most channels of a square.
const mergedColumns = 32

// mergeable reports whether the pullback of the convolution is computed so.
func (v *Conv) mergeable() bool {
	return v.Stride > 1 && v.Stride <= v.Size && v.Stride*v.Stride*v.In <= mergedColumns
}

func newMerged(c *Crew, v Conv, dSrc, dDst Images, add bool) *merged {
	s := v.Stride
	m := own(c, merged{lowered: lowered{conv: v, src: dDst, dst: dSrc, step: 1, dstStep: s}, add: add})
	m.rows, m.cols = (dSrc.Height+s-1)/s, (dSrc.Width+s-1)/s
	// Pixel r of a square takes tap r + Before - s d of the pixel at distance d.
	low, high := -((v.Size - 1 - v.Before) / s), (s-1+v.Before)/s
	m.taps = c.taps.list((high - low + 1) * (high - low + 1))[:0]
	for dy := low; dy <= high; dy++ {
		for dx := low; dx <= high; dx++ {
			m.taps = append(m.taps, tap{dy: dy, dx: dx})
		}
	}
	return m
}

// run computes the product and takes the squares apart.
func (m *merged) run(c *Crew) {
	defer c.done()
	v := &m.conv
	k, n := len(m.taps)*v.Out, v.Stride*v.Stride*v.In
	m.squares = c.floats(m.src.N * m.rows * m.cols * n)
	p := matmul{k: k, n: n, right: own(c, columnMajor{Tensor{Floats: m.weights(c, k, n)}, n, n}), dst: m.squares,
		to: places{stride: n}}
	newFrame(c, &m.lowered).run(c, &p)
	share(c, m.src.N*m.rows, m, func(m **merged, row int, _ *Hand) { (*m).row(row) })
}

// weights returns the right matrix.
func (m *merged) weights(c *Crew, k, n int) []float32 {
	v, s := &m.conv, m.conv.Stride
	w := v.Weight.view(c.floats(v.Weight.Len()), 0, v.Weight.Len())
	all := c.floats(k * n)
	clear(all)
	for t, tap := range m.taps {
		for r := range s * s {
			y, x := r/s+v.Before-s*tap.dy, r%s+v.Before-s*tap.dx
			if y < 0 || x < 0 || y >= v.Size || x >= v.Size {
				continue
			}
			for o := range v.Out {
				for i := range v.In {
					all[(t*v.Out+o)*n+r*v.In+i] = w[((o*v.In+i)*v.Size+y)*v.Size+x]
				}
			}
		}
	}
	return all
}

// row takes the squares of a row apart.
func (m *merged) row(row int) {
	n := m.conv.Stride * m.conv.Stride * m.conv.In
	for i := row * m.cols; i < (row+1)*m.cols; i++ {
		m.apart(i, m.squares[i*n:][:n])
	}
}

// apart writes the pixels of a square, or adds them.
func (m *merged) apart(i int, square []float32) {
	image, y, x := m.place(i)
	s, channels := m.dstStep, m.dst.Channels
	for r := range s * s {
		v, u := s*y+r/s, s*x+r%s
		if v >= m.dst.Height || u >= m.dst.Width {
			continue
		}
		pixel := m.dst.Data[((image*m.dst.Height+v)*m.dst.Width+u)*m.dst.Pixel:][:channels]
		from := square[r*channels:][:channels]
		if m.add {
			addTo(pixel, from)
		} else {
			copy(pixel, from)
		}
	}
}
