package kernel

func portableSums(dst []float32, x Matrix) {
	clear(dst[:x.Cols])
	for i := range x.Rows {
		for c, v := range x.row(i) {
			dst[c] += v
		}
	}
}

func portableSquares(dst []float32, x Matrix, mean []float32) {
	clear(dst[:x.Cols])
	for i := range x.Rows {
		for c, v := range x.row(i) {
			d := v - mean[c]
			dst[c] += d * d
		}
	}
}

func portableNormMish(dst, x, y Matrix, a, b, scale, shift []float32) {
	for i := range x.Rows {
		out := dst.row(i)
		for c, v := range x.row(i) {
			v = mish(v*a[c] + b[c])
			if scale != nil {
				v *= scale[c]
			}
			if shift != nil {
				v += shift[c]
			}
			if y.Data != nil {
				v += y.Data[i*y.Stride+c]
			}
			out[c] = v
		}
	}
}

func portableNormMishGrad(dst, x, dy Matrix, g *NormGrad) {
	for _, sum := range [...][]float32{g.Sum, g.SumX, g.SumY, g.SumYValue} {
		if sum != nil {
			clear(sum[:x.Cols])
		}
	}
	for i := range x.Rows {
		out, grad := dst.row(i), dy.row(i)
		for c, v := range x.row(i) {
			slope, value := mishSlope(v*g.A[c] + g.B[c])
			d := grad[c]
			if g.SumY != nil {
				g.SumY[c] += d
			}
			if g.Scale != nil {
				g.SumYValue[c] += d * value
				d *= g.Scale[c]
			}
			d *= slope
			out[c] = d
			g.Sum[c] += d
			g.SumX[c] += d * (v*g.XScale[c] + g.XBias[c])
		}
	}
}

func portableAffine(dst, x, y Matrix, p, q, r []float32) {
	for i := range x.Rows {
		out, other := dst.row(i), y.row(i)
		for c, v := range x.row(i) {
			out[c] = v*p[c] + other[c]*q[c] + r[c]
		}
	}
}

func portableBinary(dst, x, y Matrix, f func(x, y float32) float32) {
	for i := range x.Rows {
		out, other := dst.row(i), y.row(i)
		for c, v := range x.row(i) {
			out[c] = f(v, other[c])
		}
	}
}
