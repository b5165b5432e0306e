package kernel

// LayerNorm normalises every row and applies an affine map:
// (x - mean)/√(variance + Epsilon) weight + bias.
type LayerNorm struct {
	Width        int
	Epsilon      float32
	Weight, Bias []float32
}

// layerRows is how many rows a task has, and a partial sum of the gradient.
const layerRows = 64

// Forward writes the normalised rows to dst, which may be src, and mean and 1/σ of every
// row to stats, [rows, 2].
func (l *LayerNorm) Forward(c *Crew, dst, src Matrix, stats []float32) {
	l.check(dst, src, stats)
	c.rows(src.Rows, layerRows, func(from, n int, _ *Hand) {
		for i := from; i < from+n; i++ {
			normalizeRow(dst.row(i), src.row(i), l.Weight, l.Bias, stats[2*i:2*i+2], l.Epsilon)
		}
	})
}

// Pullback writes the sum of plus, which may be dSrc or nothing, and the gradient with
// respect to src to dSrc. The gradients of the affine map are added to dWeight and dBias,
// which may both be nil. dSrc may be dDst.
func (l *LayerNorm) Pullback(c *Crew, dSrc, dDst, src, plus Matrix, stats, dWeight, dBias []float32) {
	l.check(dSrc, src, stats)
	l.check(dDst, src, stats)
	add := plus.Data != nil
	if add {
		l.check(plus, src, stats)
	}
	defer c.done()
	cols := Round(l.Width, Slack)
	parts := (src.Rows + layerRows - 1) / layerRows
	var sums []float32
	if dWeight != nil {
		sums = c.floats(2 * parts * cols)
		clear(sums)
	}
	c.rows(src.Rows, layerRows, func(from, n int, h *Hand) {
		out := dSrc.part(from, n)
		if add {
			out = Matrix{Data: h.Floats(n * l.Width), Rows: n, Cols: l.Width, Stride: l.Width}
		}
		for i := from; i < from+n; i++ {
			if dWeight != nil {
				part := sums[2*(from/layerRows)*cols:]
				layerSums(part[:l.Width], part[cols:][:l.Width], dDst.row(i), src.row(i), stats[2*i:2*i+2])
			}
			layerSlope(out.row(i-from), dDst.row(i), src.row(i), l.Weight, stats[2*i:2*i+2])
		}
		if add {
			Add(dSrc.part(from, n), plus.part(from, n), out)
		}
	})
	for j := range dWeight {
		var w, b float64
		for p := range parts {
			w, b = w+float64(sums[2*p*cols+j]), b+float64(sums[(2*p+1)*cols+j])
		}
		dWeight[j] += float32(w)
		dBias[j] += float32(b)
	}
}

func (l *LayerNorm) check(a, b Matrix, stats []float32) {
	if a.Rows != b.Rows || a.Cols != l.Width || b.Cols != l.Width || len(stats) < 2*a.Rows {
		panic("kernel: layer norm of matrices that do not fit it")
	}
	a.check()
	b.check()
}

// rows calls do for ranges of at most grain rows.
func (c *Crew) rows(rows, grain int, do func(from, n int, h *Hand)) {
	c.Do((rows+grain-1)/grain, func(task int, h *Hand) {
		from := task * grain
		do(from, min(grain, rows-from), h)
	})
}

func addTo(dst, x []float32) {
	for i := range dst {
		dst[i] += x[i]
	}
}
