package kernel

// Sums writes the sum of every column of x.
func Sums(dst []float32, x Matrix) {
	if active == Portable {
		portableSums(dst, x)
		return
	}
	x.fetch()
	s := newSweep(x)
	s.matrix(1, x)
	s.vector(0, dst)
	runSweep(opSums, &s)
}

// Squares writes the sum of (x - mean)² of every column.
func Squares(dst []float32, x Matrix, mean []float32) {
	if active == Portable {
		portableSquares(dst, x, mean)
		return
	}
	s := newSweep(x)
	s.matrix(1, x)
	s.vector(0, mean)
	s.vector(1, dst)
	runSweep(opSquares, &s)
}

// NormMish writes mish(x a + b), a and b per column: a group normalisation with
// its affine map, and the activation. dst may be x.
func NormMish(dst, x Matrix, a, b []float32) {
	normMish(opNormMish, dst, x, Matrix{}, a, b, nil, nil)
}

// NormMishShift writes mish(x a + b) + shift.
func NormMishShift(dst, x Matrix, a, b, shift []float32) {
	normMish(opNormMishShift, dst, x, Matrix{}, a, b, nil, shift)
}

// NormMishFilm writes mish(x a + b) scale + shift.
func NormMishFilm(dst, x Matrix, a, b, scale, shift []float32) {
	normMish(opNormMishFilm, dst, x, Matrix{}, a, b, scale, shift)
}

// NormMishAdd writes mish(x a + b) + y.
func NormMishAdd(dst, x, y Matrix, a, b []float32) {
	normMish(opNormMishAdd, dst, x, y, a, b, nil, nil)
}

func normMish(op op, dst, x, y Matrix, a, b, scale, shift []float32) {
	if active == Portable {
		portableNormMish(dst, x, y, a, b, scale, shift)
		return
	}
	s := sweepOf(dst, x)
	if y.Data != nil {
		s.matrix(2, y)
	}
	s.vector(0, a)
	s.vector(1, b)
	if scale != nil {
		s.vector(2, scale)
	}
	if shift != nil {
		s.vector(3, shift)
	}
	runSweep(op, &s)
}

// NormGrad holds what the gradient of [NormMish] and its variants needs per column
// and what it sums over the rows. Scale is nil without a scale, SumY without a
// shift and SumYValue without a scale.
type NormGrad struct {
	A, B          []float32 // the map x a + b
	XScale, XBias []float32 // the normalised x̂ = x XScale + XBias
	Scale         []float32 // of the modulation
	Sum           []float32 // Σ dz, the gradient of the affine bias
	SumX          []float32 // Σ dz x̂, the gradient of the affine weight
	SumY          []float32 // Σ dy, the gradient of the shift
	SumYValue     []float32 // Σ dy mish(x a + b), the gradient of the scale
}

// NormMishGrad writes dz, the gradient with respect to z = x a + b, from the
// gradient dy with respect to the result, and sums over the rows. dst may be dy.
func NormMishGrad(dst, x, dy Matrix, g *NormGrad) {
	if active == Portable {
		portableNormMishGrad(dst, x, dy, g)
		return
	}
	s := sweepOf(dst, x, dy)
	op := opNormMishGrad
	for i, v := range [...][]float32{g.A, g.B, g.XScale, g.XBias, g.Scale, g.Sum, g.SumX, g.SumY, g.SumYValue} {
		if v != nil {
			s.vector(i, v)
		}
	}
	switch {
	case g.Scale != nil:
		op = opNormMishFilmGrad
	case g.SumY != nil:
		op = opNormMishShiftGrad
	}
	runSweep(op, &s)
}

// Affine writes x p + y q + r, with p, q and r per column. dst may be x or y.
func Affine(dst, x, y Matrix, p, q, r []float32) {
	if active == Portable {
		portableAffine(dst, x, y, p, q, r)
		return
	}
	s := sweepOf(dst, x, y)
	s.vector(0, p)
	s.vector(1, q)
	s.vector(2, r)
	s.inBlocks(opAffine)
}

// Add writes x + y. dst may be either.
func Add(dst, x, y Matrix) {
	pairwise(opAdd, dst, x, y, func(x, y float32) float32 { return x + y })
}

// pairwise writes a function of the elements of x and y to dst.
func pairwise(op op, dst, x, y Matrix, f func(x, y float32) float32) {
	if active == Portable {
		portableBinary(dst, x, y, f)
		return
	}
	s := sweepOf(dst, x, y)
	s.inBlocks(op)
}
