package noise

import "math"

// uniform maps a 32-bit word to the middle of its cell in (0, 1), so that
// neither 0 nor 1 is ever returned.
func uniform(w uint32) float64 { return (float64(w) + 0.5) * 0x1p-32 }

// quantile returns the standard normal quantile of p in [2^-33, 1-2^-33] to
// about 15 digits: algorithm AS 241, routine PPND16 (Wichura, Applied Statistics
// 37, 1988), whose far-tail branch starts at 1.4e-11 and is never needed here.
// The order of operations is explicit, fused multiply-adds included, so that a
// vector kernel can give the same bits.
func quantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return q * rational(&centre, 0.180625-float64(q*q))
	}
	r := math.Sqrt(-log(min(p, 1-p)))
	return math.Copysign(rational(&middle, r-1.6), q)
}

// log returns the natural logarithm of a positive normal number: with
// x = 2^e m, m in [sqrt(1/2), sqrt(2)) and s = (m-1)/(m+1),
// log m = 2 atanh(s) = 2s + s R(s^2), R as in FreeBSD's e_log.c.
func log(x float64) float64 {
	const half = 0x3FE6A09E667F3BCD // sqrt(1/2)
	u := math.Float64bits(x)
	e := int64(u-half) >> 52
	m := math.Float64frombits(u - uint64(e)<<52)
	s := (m - 1) / (m + 1)
	z := s * s
	r := logCoefficients[6]
	for i := 5; i >= 0; i-- {
		r = math.FMA(r, z, logCoefficients[i])
	}
	return math.FMA(float64(e), math.Ln2, math.FMA(s, r*z, s+s))
}

var logCoefficients = [7]float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
	2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}

// ratio holds the coefficients of a rational function of degree 7 over 7, in
// ascending order; den[0] is 1.
type ratio struct{ num, den [8]float64 }

func rational(c *ratio, r float64) float64 {
	n, d := c.num[7], c.den[7]
	for i := 6; i >= 0; i-- {
		n = math.FMA(n, r, c.num[i])
		d = math.FMA(d, r, c.den[i])
	}
	return n / d
}

// Coefficients of PPND16 (AS 241) for |p - 1/2| <= 0.425 and for
// sqrt(-log p) <= 5.
var (
	centre = ratio{
		num: [8]float64{3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
			45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
		den: [8]float64{1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
			21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610},
	}
	middle = ratio{
		num: [8]float64{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
			1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4},
		den: [8]float64{1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
			0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
)
