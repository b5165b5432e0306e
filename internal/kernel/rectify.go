package kernel

// Rectify writes max(x, 0), x where it is not a number.
func Rectify(dst, x []float32) { unary(opRectify, dst, x) }

// RectifyGrad writes dy where x is positive, and 0 elsewhere.
func RectifyGrad(dst, x, dy []float32) { binary(opRectifyGrad, dst, x, dy) }

// Larger writes the larger of x and y, y where they are equal or one of them is not a
// number. dst may be either.
func Larger(dst, x, y Matrix) { pairwise(opLarger, dst, x, y, larger) }

// LargerGrad moves the elements of rest to dst, to which they are added, where x equals
// the maximum: called for all that it was taken of, the first with the maximum gets it.
func LargerGrad(dst, x, maximum, rest Matrix) {
	if active == Portable {
		for i := range x.Rows {
			d, most, r := dst.row(i), maximum.row(i), rest.row(i)
			for j, v := range x.row(i) {
				if v == most[j] {
					d[j] += r[j]
					r[j] = 0
				}
			}
		}
		return
	}
	s := sweepOf(dst, x, maximum, rest)
	s.inBlocks(opLargerGrad)
}

func rectify(x float32) float32 {
	if x < 0 {
		return 0
	}
	return x
}

func rectifySlope(x, dy float32) float32 {
	if x > 0 {
		return dy
	}
	return 0
}

func larger(x, y float32) float32 {
	if x > y {
		return x
	}
	return y
}
