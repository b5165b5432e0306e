package schedule

import "math"

// What tests of this package compare with published code.

// PosteriorLogVariance returns the logarithm of the posterior variance, at least
// that of 1e-20.
func (s Step) PosteriorLogVariance() float64 { return math.Log(max(s.PosteriorVariance, minVariance)) }

// PosteriorMean writes the mean of x_{t-1} given x_t and the clean sample to dst
// (Ho, Jain and Abbeel 2020, equation 7). dst may be x0 or x.
func (s Step) PosteriorMean(dst, x0, x []float32) {
	a, b := float32(s.CoefX0), float32(s.CoefXt)
	for i := range dst {
		dst[i] = a*x0[i] + b*x[i]
	}
}
