package kernel

// GELU writes x Φ(x), Φ the distribution function of the normal distribution; the
// relative error is below 6 units in the last place for x ≥ -13, and results below are
// within 1e-36 of the true value. Source: Hendrycks and Gimpel, "Gaussian error linear
// units" (2016).
func GELU(dst, x []float32) { unary(opGELU, dst, x) }

// GELUGrad writes dy gelu'(x); the absolute error of gelu' is below 5e-7.
func GELUGrad(dst, x, dy []float32) { binary(opGELUGrad, dst, x, dy) }

// QuickGELU writes x/(1 + exp(-1.702 x)); the relative error is below 16 units in the
// last place for x ≥ -13, most of it from rounding 1.702 x.
func QuickGELU(dst, x []float32) { unary(opQuickGELU, dst, x) }

// QuickGELUGrad writes dy times the derivative of [QuickGELU], whose absolute error is
// below 5e-7.
func QuickGELUGrad(dst, x, dy []float32) { binary(opQuickGELUGrad, dst, x, dy) }

// GEGLU writes a gelu(b) for every row of x, which has a and then b, dst.Cols each.
// Source: Shazeer, "GLU variants improve transformer" (2020).
func GEGLU(dst, x Matrix) {
	a, b := x.columns(0, dst.Cols), x.columns(dst.Cols, dst.Cols)
	if active == Portable {
		portableGEGLU(dst, a, b)
		return
	}
	for i := range dst.Rows { // row by row: a sweep goes down the columns, which is slow in wide matrices
		s := sweepOf(Vector(dst.row(i)), Vector(a.row(i)), Vector(b.row(i)))
		runSweep(opGEGLU, &s)
	}
}

// GEGLUGrad writes the gradient with respect to x to dx, which may be x.
func GEGLUGrad(dx, x, dy Matrix) {
	a, b := x.columns(0, dy.Cols), x.columns(dy.Cols, dy.Cols)
	da, db := dx.columns(0, dy.Cols), dx.columns(dy.Cols, dy.Cols)
	if active == Portable {
		portableGEGLUGrad(da, db, a, b, dy)
		return
	}
	for i := range dy.Rows {
		s := sweepOf(Vector(da.row(i)), Vector(a.row(i)), Vector(b.row(i)), Vector(db.row(i)), Vector(dy.row(i)))
		runSweep(opGEGLUGrad, &s)
	}
}

// columns returns n columns from the given one on.
func (m Matrix) columns(from, n int) Matrix {
	m.Data, m.Cols = m.Data[from:], n
	return m
}

// NormSiLU writes silu(x a + b), a and b per column. dst may be x.
func NormSiLU(dst, x Matrix, a, b []float32) { normGate(opNormSiLU, dst, x, a, b) }

// Scale writes x a + b, a and b per column. dst may be x.
func Scale(dst, x Matrix, a, b []float32) { normGate(opScale, dst, x, a, b) }

func normGate(op op, dst, x Matrix, a, b []float32) {
	if active == Portable {
		portableNormGate(op, dst, x, a, b)
		return
	}
	s := sweepOf(dst, x)
	s.vector(0, a)
	s.vector(1, b)
	s.inBlocks(op)
}

// NormSiLUGrad is [NormMishGrad] with SiLU for Mish and without a modulation.
func NormSiLUGrad(dst, x, dy Matrix, g *NormGrad) { normGateGrad(opNormSiLUGrad, dst, x, dy, g) }

// ScaleGrad is [NormSiLUGrad] without an activation.
func ScaleGrad(dst, x, dy Matrix, g *NormGrad) { normGateGrad(opScaleGrad, dst, x, dy, g) }

func normGateGrad(op op, dst, x, dy Matrix, g *NormGrad) {
	if active == Portable {
		portableNormGateGrad(op, dst, x, dy, g)
		return
	}
	x.fetch()
	dy.fetch()
	s := sweepOf(dst, x, dy)
	for i, v := range [...][]float32{g.A, g.B, g.XScale, g.XBias} {
		s.vector(i, v)
	}
	s.vector(5, g.Sum)
	s.vector(6, g.SumX)
	runSweep(op, &s)
}
