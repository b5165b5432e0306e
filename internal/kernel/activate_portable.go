package kernel

import "math"

func gelu(x float32) float32 {
	return float32(float64(x) * 0.5 * math.Erfc(-float64(x)/math.Sqrt2))
}

func geluSlope(v float32) float32 {
	x := float64(v)
	return float32(0.5*math.Erfc(-x/math.Sqrt2) + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi))
}

func quickGELU(x float32) float32 {
	_, q := sigmoid(1.702 * x)
	return x * q
}

func quickGELUSlope(x float32) float32 {
	_, slope := silu(1.702 * x)
	return slope
}

// silu returns x/(1 + exp(-x)) and its derivative.
func silu(x float32) (value, slope float32) {
	e, q := sigmoid(x)
	return x * q, q * (1 + x*(e*q))
}

func portableGEGLU(dst, a, b Matrix) {
	for i := range dst.Rows {
		out, x := dst.row(i), a.row(i)
		for j, y := range b.row(i) {
			out[j] = x[j] * gelu(y)
		}
	}
}

func portableGEGLUGrad(da, db, a, b, dy Matrix) {
	for i := range dy.Rows {
		u, v, x, y := da.row(i), db.row(i), a.row(i), b.row(i)
		for j, d := range dy.row(i) {
			u[j], v[j] = d*gelu(y[j]), d*x[j]*geluSlope(y[j])
		}
	}
}

func portableNormGate(op op, dst, x Matrix, a, b []float32) {
	for i := range x.Rows {
		out := dst.row(i)
		for j, v := range x.row(i) {
			if out[j] = v*a[j] + b[j]; op == opNormSiLU {
				out[j], _ = silu(out[j])
			}
		}
	}
}

func portableNormGateGrad(op op, dst, x, dy Matrix, g *NormGrad) {
	clear(g.Sum)
	clear(g.SumX)
	for i := range x.Rows {
		out, grad := dst.row(i), dy.row(i)
		for j, v := range x.row(i) {
			d := grad[j]
			if op == opNormSiLUGrad {
				_, slope := silu(v*g.A[j] + g.B[j])
				d *= slope
			}
			out[j] = d
			g.Sum[j] += d
			g.SumX[j] += d * (v*g.XScale[j] + g.XBias[j])
		}
	}
}
