package plan

// savitzkyGolay smooths a path with a moving least-squares parabola.
//
// An even window has no sample at its middle: every output then lies half a step
// ahead of the sample that it replaces, as in the reference. Where a window would
// leave the path, the outputs lie on the parabola of the first or last window.
//
// Source: Savitzky and Golay, "Smoothing and Differentiation of Data by Simplified
// Least Squares Procedures" (Analytical Chemistry 36, 1964).
type savitzkyGolay struct {
	middle []float64   // weights of a window's samples in the value at its middle
	at     [][]float64 // weights in the value at each of its samples
}

// smoothingWindow is the number of waypoints that a smoothed one is fitted to.
const smoothingWindow = 10

// newSavitzkyGolay returns the filter of a window of at least 3 samples.
func newSavitzkyGolay(window int) *savitzkyGolay {
	middle := float64(window-1) / 2
	f := &savitzkyGolay{middle: parabola(window, middle)}
	for k := range window {
		f.at = append(f.at, parabola(window, float64(k)))
	}
	return f
}

// parabola returns how much each sample of a window counts for the value at a
// position of the parabola that is fitted to them by least squares. With u counted
// from the middle the odd moments vanish, and the normal equations have the
// solution below.
func parabola(window int, position float64) []float64 {
	n, middle := float64(window), float64(window-1)/2
	s2, s4 := 0.0, 0.0
	for k := range window {
		u := float64(k) - middle
		s2 += u * u
		s4 += u * u * u * u
	}
	e, det := position-middle, n*s4-s2*s2
	w := make([]float64, window)
	for k := range w {
		u := float64(k) - middle
		w[k] = (s4-s2*u*u)/det + e*u/s2 + e*e*(n*u*u-s2)/det
	}
	return w
}

// smooth writes the smoothed path x to dst, each of its channels by itself. dst
// must not overlap x, which holds at least a window of points.
func smooth[T float32 | float64](f *savitzkyGolay, dst, x []T, channels int) {
	n, window := len(x)/channels, len(f.middle)
	half := window / 2
	for h := range n {
		first, weights := h-(window-1)/2, f.middle
		switch {
		case h < half:
			first, weights = 0, f.at[h]
		case h >= n-half:
			first, weights = n-window, f.at[h-(n-window)]
		}
		for c := range channels {
			sum := 0.0
			for k, w := range weights {
				sum += w * float64(x[(first+k)*channels+c])
			}
			dst[h*channels+c] = T(sum)
		}
	}
}
