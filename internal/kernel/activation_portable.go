package kernel

import "math"

// The formulas of the vector kernels, in float32 without fused operations.

const (
	mishMax = 20 // above, tanh(log(1 + exp x)) is 1
	expMin  = -87
	expMax  = 88
)

var expTerms = [7]float32{1, 1, 0.49999994, 0.16666521, 0.041668274, 0.008368683, 0.001382005}

// exp returns e^x for x in [expMin, expMax]: x = n ln 2 + r and a polynomial in r.
func exp(x float32) float32 {
	n := float32(int32(x*1.44269504 + float32(math.Copysign(0.5, float64(x)))))
	r := x - n*0.693145751953125
	r -= n * 1.42860682030941723e-06
	e := expTerms[6]
	for i := 5; i >= 0; i-- {
		e = e*r + expTerms[i]
	}
	return math.Float32frombits(math.Float32bits(e) + uint32(int32(n))<<23)
}

func mishParts(z float32) (e, n float32) {
	e = exp(max(min(z, mishMax), expMin))
	return e, e * (e + 2)
}

func mish(z float32) float32 {
	_, n := mishParts(z)
	return z * (n / (n + 2))
}

// mishSlope returns mish'(z) and mish(z).
func mishSlope(z float32) (slope, value float32) {
	e, n := mishParts(z)
	inverse := 1 / (n + 2)
	q := n * inverse
	return q + 4*z*((n-e)*inverse*inverse), z * q
}

// sigmoid returns e = exp(-x) and 1/(1 + e).
func sigmoid(x float32) (e, q float32) {
	e = exp(max(min(-x, expMax), expMin))
	return e, 1 / (1 + e)
}

func portableUnary(op op, dst, x []float32) {
	for i, v := range x {
		switch op {
		case opExp:
			dst[i] = exp(max(min(v, expMax), expMin))
		case opMish:
			dst[i] = mish(v)
		case opSiLU:
			_, q := sigmoid(v)
			dst[i] = v * q
		case opGELU:
			dst[i] = gelu(v)
		case opQuickGELU:
			dst[i] = quickGELU(v)
		case opRectify:
			dst[i] = rectify(v)
		}
	}
}

func portableGrad(op op, dst, x, dy []float32) {
	for i, v := range x {
		switch op {
		case opMishGrad:
			slope, _ := mishSlope(v)
			dst[i] = dy[i] * slope
		case opSiLUGrad:
			e, q := sigmoid(v)
			dst[i] = dy[i] * (q * (1 + v*(e*q)))
		case opGELUGrad:
			dst[i] = dy[i] * geluSlope(v)
		case opQuickGELUGrad:
			dst[i] = dy[i] * quickGELUSlope(v)
		case opRectifyGrad:
			dst[i] = rectifySlope(v, dy[i])
		}
	}
}
