package pcd

// WriteEstimate writes e to dst, which may be x or p. Clip 0 does not limit it.
func (t Transition) WriteEstimate(dst, x, p []float32) {
	a, b := float32(t.Estimate.State), float32(t.Estimate.Prediction)
	for j := range dst {
		dst[j] = a*x[j] + b*p[j]
	}
	if !(t.Estimate.Clip > 0) {
		return
	}
	lo, hi := float32(-t.Estimate.Clip), float32(t.Estimate.Clip)
	for j, e := range dst {
		dst[j] = min(max(e, lo), hi)
	}
}

// WriteMean writes the mean of x' to dst, which overlaps neither x nor p, nor kept: what
// earlier steps kept, newest first. What has no weight is left out.
func (t Transition) WriteMean(dst, x, p []float32, kept ...[]float32) {
	if t.Mean.Estimate != 0 {
		t.WriteEstimate(dst, x, p)
	}
	t.combine(dst, x, p)
	for k, w := range t.Kept {
		if w != 0 {
			for j, m := range kept[k] {
				dst[j] += float32(w) * m
			}
		}
	}
}

// combine turns the estimate in dst into the mean of x' without what earlier steps kept.
func (t Transition) combine(dst, x, p []float32) {
	e, a, b := float32(t.Mean.Estimate), float32(t.Mean.State), float32(t.Mean.Prediction)
	if e == 0 {
		for j := range dst {
			dst[j] = a*x[j] + b*p[j]
		}
		return
	}
	if b == 0 {
		for j := range dst {
			dst[j] = e*dst[j] + a*x[j]
		}
		return
	}
	for j := range dst {
		dst[j] = e*dst[j] + (a*x[j] + b*p[j])
	}
}

// keptShift returns how far what the step keeps moves where a coupling moves the mean by
// 1: as if both came from a prediction that it had moved.
func (t Transition) keptShift() float64 {
	ofMean := t.Mean.Estimate*t.Estimate.Prediction + t.Mean.Prediction
	switch {
	case ofMean == 0:
		return 0
	case t.Keep == KeepEstimate:
		return t.Estimate.Prediction / ofMean
	case t.Keep == KeepPrediction:
		return 1 / ofMean
	}
	return 0
}
