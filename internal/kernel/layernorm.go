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
func (l LayerNorm) Forward(c *Crew, dst, src Matrix, stats []float32) {
	l.check(dst, src, stats)
	share(c, layerTasks(src.Rows), layerPass{LayerNorm: l, dst: dst, src: src, stats: stats}, func(l *layerPass, task int, _ *Hand) {
		for i := task * layerRows; i < min((task+1)*layerRows, l.src.Rows); i++ {
			normalizeRow(l.dst.row(i), l.src.row(i), l.Weight, l.Bias, l.stats[2*i:2*i+2], l.Epsilon)
		}
	})
}

// layerTasks returns the tasks of some rows.
func layerTasks(rows int) int { return (rows + layerRows - 1) / layerRows }

// layerPass is a pass under way: dst is what is written.
type layerPass struct {
	LayerNorm
	dst, dDst, src, plus Matrix
	stats                []float32
	sums                 []float32 // of the gradients, for every task; or nil
}

// Pullback writes the sum of plus, which may be dSrc or nothing, and the gradient with
// respect to src to dSrc. The gradients of the affine map are added to dWeight and dBias,
// which may both be nil. dSrc may be dDst.
func (l LayerNorm) Pullback(c *Crew, dSrc, dDst, src, plus Matrix, stats, dWeight, dBias []float32) {
	l.check(dSrc, src, stats)
	l.check(dDst, src, stats)
	add := plus.Data != nil
	if add {
		l.check(plus, src, stats)
	}
	defer c.done()
	cols := Round(l.Width, Slack)
	parts := layerTasks(src.Rows)
	var sums []float32
	if dWeight != nil {
		sums = c.floats(2 * parts * cols)
		clear(sums)
	}
	share(c, parts, layerPass{l, dSrc, dDst, src, plus, stats, sums}, (*layerPass).pullback)
	for j := range dWeight {
		var w, b float64
		for p := range parts {
			w, b = w+float64(sums[2*p*cols+j]), b+float64(sums[(2*p+1)*cols+j])
		}
		dWeight[j] += float32(w)
		dBias[j] += float32(b)
	}
}

// pullback writes the gradient of the rows of a task.
func (l *layerPass) pullback(task int, h *Hand) {
	from := task * layerRows
	n, cols, add := min(layerRows, l.src.Rows-from), Round(l.Width, Slack), l.plus.Data != nil
	out := l.dst.part(from, n)
	if add {
		out = Matrix{Data: h.Floats(n * l.Width), Rows: n, Cols: l.Width, Stride: l.Width}
	}
	for i := from; i < from+n; i++ {
		if l.sums != nil {
			part := l.sums[2*task*cols:]
			layerSums(part[:l.Width], part[cols:][:l.Width], l.dDst.row(i), l.src.row(i), l.stats[2*i:2*i+2])
		}
		layerSlope(out.row(i-from), l.dDst.row(i), l.src.row(i), l.Weight, l.stats[2*i:2*i+2])
	}
	if add {
		Add(l.dst.part(from, n), l.plus.part(from, n), out)
	}
}

func (l *LayerNorm) check(a, b Matrix, stats []float32) {
	if a.Rows != b.Rows || a.Cols != l.Width || b.Cols != l.Width || len(stats) < 2*a.Rows {
		panic("kernel: layer norm of matrices that do not fit it")
	}
	a.check()
	b.check()
}

func addTo(dst, x []float32) {
	for i := range dst {
		dst[i] += x[i]
	}
}
