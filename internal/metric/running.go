package metric

import "math"

// Running accumulates an [Estimate] trial by trial, in constant memory. The zero
// value is empty. It survives JSON exactly, so that a tally can be kept in a file
// and continued.
//
// Source: Welford, "Note on a method for calculating corrected sums of squares
// and products" (Technometrics 4, 1962), on the means of trials of equal size.
type Running struct {
	Trials    int     `json:"trials"`
	Mean      float64 `json:"mean"`
	Squares   float64 `json:"squares"`   // sum of squared deviations of the trial means from Mean
	Variance  float64 `json:"variance"`  // sum over trials of the variance within
	Deviation float64 `json:"deviation"` // sum over trials of the standard deviation within
}

// Add adds the values of one trial, as many as every other trial has.
func (r *Running) Add(values []float64) {
	mean, variance := Moments(values)
	r.Trials++
	delta := mean - r.Mean
	r.Mean += delta / float64(r.Trials)
	r.Squares += delta * (mean - r.Mean)
	r.Variance += variance
	r.Deviation += math.Sqrt(variance)
}

// Estimate returns the mean so far with the interval of [ClusteredRate].
func (r *Running) Estimate() Estimate {
	if r.Trials == 0 {
		return Estimate{Interval: Interval{0, 1}}
	}
	n := float64(r.Trials)
	between := r.Squares / n
	return Estimate{
		Mean: r.Mean, Std: math.Sqrt(between + r.Variance/n), Within: r.Deviation / n, Between: math.Sqrt(between),
		Interval: clusteredRate(r.Mean, between, n),
	}
}

// TrialRate returns the estimate of a fraction of trials, with Wilson's interval.
func (r *Running) TrialRate() Estimate {
	e := r.Estimate()
	e.Interval = Wilson(r.Mean, float64(r.Trials))
	return e
}
