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
//
// The noise is taken away before the signal is scaled up, (x - σ ε) / √ᾱ: both terms
// of the sum are as large as the state, and two large rounded coefficients, 1/√ᾱ and σ/√ᾱ,
// would lose digits where there is much noise.
func (s Step) Tweedie(dst, x, pred []float32, kind Kind, clip float64) {
	a, b, signal := s.estimate(kind)
	for i := range dst {
		dst[i] = (a*x[i] + float32(b*pred[i])) / signal
	}
	if !(clip > 0) {
		return
	}
	lo, hi := float32(-clip), float32(clip)
	for i, v := range dst {
		dst[i] = min(max(v, lo), hi)
	}
}

// estimate returns the numbers with which a prediction p becomes that of the clean
// sample, (a x + b p) / signal.
func (s Step) estimate(kind Kind) (a, b, signal float32) {
	switch kind {
	case Epsilon:
		return 1, float32(-s.Sigma), float32(s.SqrtAlphaBar)
	case Score: // the noise is -σ times it
		return 1, float32(s.Sigma * s.Sigma), float32(s.SqrtAlphaBar)
	case V:
		return float32(s.SqrtAlphaBar), float32(-s.Sigma), 1
	case Flow:
		return 1, float32(-s.Sigma), float32(s.SqrtAlphaBar + s.Sigma)
	default:
		return 0, 1, 1
	}
}
