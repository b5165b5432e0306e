package kernel

// Linear is the map y = W x + b of rows of In to rows of Out elements.
type Linear struct {
	In, Out int
	Weight  Tensor    // [Out, In]
	Bias    []float32 // or nil
	Dots    bool      // for maps of few rows: inner products, where the processor and the sizes allow
}

// Forward writes W x + b for every row of src to dst, or adds it.
func (l Linear) Forward(c *Crew, dst, src Matrix, add bool) {
	l.check(dst, src)
	if l.byDots() {
		l.dots(c, dst, src, add)
		return
	}
	p := l.product(c, dst, src)
	p.add = add
	p.run(c)
}

// ForwardPlus writes W x + b + y for every row x of src and y of plus.
func (l Linear) ForwardPlus(c *Crew, dst, src, plus Matrix) {
	l.check(dst, src)
	if plus.Rows != dst.Rows || plus.Cols != dst.Cols {
		panic("kernel: sum of matrices of different sizes")
	}
	if l.byDots() {
		l.dots(c, dst, src, false)
		Add(dst, dst, plus)
		return
	}
	p := l.product(c, dst, src)
	p.plus = plus
	p.run(c)
}

// product returns the product that the map is.
func (l *Linear) product(c *Crew, dst, src Matrix) matmul {
	return matmul{m: src.Rows, k: l.In, n: l.Out, left: src.rows(), right: own(c, rowMajor{l.Weight, l.Out, l.In}),
		bias: l.Bias, dst: dst.Data, to: places{stride: dst.Stride}}
}

// Pullback writes Wᵀ dy for every row of dDst to dSrc, or adds it.
func (l Linear) Pullback(c *Crew, dSrc, dDst Matrix, add bool) {
	l.check(dDst, dSrc)
	p := matmul{m: dDst.Rows, k: l.Out, n: l.In, left: dDst.rows(), right: own(c, columnMajor{l.Weight, l.In, l.In}),
		dst: dSrc.Data, to: places{stride: dSrc.Stride}, add: add}
	p.run(c)
}

// Gradient adds Σ dy xᵀ over the rows to dWeight, [Out, In], and Σ dy to dBias, which
// may be nil.
func (l Linear) Gradient(c *Crew, dWeight, dBias []float32, src, dDst Matrix) {
	l.check(dDst, src)
	o := outerSum{m: src.Rows, k: l.Out, n: l.In, left: own(c, matrixRows{dDst}), right: src}
	sums, parts := o.run(c)
	c.addParts(dWeight, sums, parts)
	c.done()
	if dBias != nil {
		columnSums(c, dBias, dDst)
	}
}

func (l *Linear) check(out, in Matrix) {
	if in.Cols != l.In || out.Cols != l.Out || in.Rows != out.Rows || l.Weight.Len() != l.In*l.Out {
		panic("kernel: linear map of matrices that do not fit it")
	}
	in.check()
	out.check()
}

// check panics when the matrix leaves its data.
func (m Matrix) check() {
	if m.Rows < 1 || m.Cols < 1 || (m.Rows-1)*m.Stride+m.Cols > len(m.Data) {
		panic("kernel: matrix outside its data")
	}
}

// sumRows is how many rows a partial sum of columns has.
const sumRows = 512

// addParts adds all parts, one after the other in sums, to dst.
func (c *Crew) addParts(dst, sums []float32, parts int) {
	const grain = 1 << 12
	share(c, (len(dst)+grain-1)/grain, partSums{dst, sums, parts}, func(s *partSums, task int, _ *Hand) {
		all, from := len(s.dst), task*grain
		n := min(grain, all-from)
		sum := Vector(s.sums[from:][:n])
		for p := 1; p < s.parts; p++ {
			Add(sum, sum, Vector(s.sums[p*all+from:][:n]))
		}
		d := Vector(s.dst[from:][:n])
		Add(d, d, sum)
	})
}

// partSums are the sums of parts, one after the other, and what they are added to.
type partSums struct {
	dst, sums []float32
	parts     int
}

// columnSums adds the sum of every column to dst: partial sums in float32, joined in
// float64.
func columnSums(c *Crew, dst []float32, m Matrix) {
	parts := (m.Rows + sumRows - 1) / sumRows
	cols := Round(m.Cols, Slack)
	sums := c.floats(parts * cols)
	defer c.done()
	share(c, parts, columnParts{sums, m, cols}, func(p *columnParts, task int, _ *Hand) {
		Sums(p.sums[task*p.cols:][:p.m.Cols], p.m.part(task*sumRows, sumRows))
	})
	for j := range m.Cols {
		s := 0.0
		for i := range parts {
			s += float64(sums[i*cols+j])
		}
		dst[j] += float32(s)
	}
}

// columnParts are partial sums of columns under way.
type columnParts struct {
	sums []float32
	m    Matrix
	cols int
}

// part returns up to n rows from the given one on.
func (m Matrix) part(from, n int) Matrix {
	m.Rows = min(n, m.Rows-from)
	m.Data = m.Data[from*m.Stride:]
	return m
}
