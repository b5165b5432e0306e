package schedule

// Diffuse writes the state √ᾱ x_0 + √(1-ᾱ) ε to dst, element by element.
func (s Step) Diffuse(dst, x0, eps []float32) {
	a, b := float32(s.SqrtAlphaBar), float32(s.Sigma)
	for i := range dst {
		dst[i] = a*x0[i] + b*eps[i]
	}
}

// Tweedie writes the estimate of the clean sample that a prediction implies,
// E[x_0 | x_t] for an exact model, to dst. With clip > 0 the estimate is limited
// to [-clip, clip], as models of normalised data are used. dst may be x or
// pred.
func (s Step) Tweedie(dst, x, pred []float32, kind Kind, clip float64) {
	wide, narrow := s.Coefficients(kind, X0)
	a, b := float32(wide), float32(narrow)
	if !(clip > 0) {
		for i := range dst {
			dst[i] = a*x[i] + b*pred[i]
		}
		return
	}
	lo, hi := float32(-clip), float32(clip)
	for i := range dst {
		dst[i] = min(max(a*x[i]+b*pred[i], lo), hi)
	}
}

// PosteriorMean writes the mean of x_{t-1} given x_t and the clean sample to dst
// (Ho, Jain and Abbeel 2020, equation 7). dst may be x0 or x.
func (s Step) PosteriorMean(dst, x0, x []float32) {
	a, b := float32(s.CoefX0), float32(s.CoefXt)
	for i := range dst {
		dst[i] = a*x0[i] + b*x[i]
	}
}
