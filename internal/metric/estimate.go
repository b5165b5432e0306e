package metric

import "math"

// Estimate is the mean of a quantity over all samples of all trials. Std is its
// standard deviation over samples, Within the mean over trials of that within
// the trial, Between that of the trial means; all divide by the number of
// values. Interval is that of the mean: [ClusteredRate] unless said otherwise.
type Estimate struct {
	Mean, Std       float64
	Within, Between float64
	Interval        Interval
}

// EstimateOf averages a quantity over all samples of all trials.
func EstimateOf[T any](trials [][]T, quantity func(T) float64) (e Estimate) {
	var all, means, deviations []float64
	for _, t := range trials {
		values := Values(t, quantity)
		mean, variance := Moments(values)
		means, deviations = append(means, mean), append(deviations, math.Sqrt(variance))
		all = append(all, values...)
	}
	mean, variance := Moments(all)
	_, between := Moments(means)
	within, _ := Moments(deviations)
	return Estimate{Mean: mean, Std: math.Sqrt(variance), Within: within, Between: math.Sqrt(between), Interval: ClusteredRate(means)}
}

// TrialMeans returns the mean of a quantity in each trial.
func TrialMeans[T any](trials [][]T, quantity func(T) float64) (means []float64) {
	for _, t := range trials {
		mean, _ := Moments(Values(t, quantity))
		means = append(means, mean)
	}
	return means
}

// Values returns a quantity of each sample.
func Values[T any](samples []T, quantity func(T) float64) []float64 {
	values := make([]float64, len(samples))
	for i, x := range samples {
		values[i] = quantity(x)
	}
	return values
}

// Moments returns the mean and the population variance of values; both are 0
// without values.
func Moments(values []float64) (mean, variance float64) {
	n := float64(len(values))
	if n == 0 {
		return 0, 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= n // so that equal numbers have exactly that mean, where they are 0 or 1
	for _, v := range values {
		variance += (v - mean) * (v - mean) / n
	}
	return mean, variance
}

// Indicator is 1 where something holds and 0 elsewhere: its mean is a rate.
func Indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Quantile returns the smallest of sorted numbers that a share of them, above 0, does
// not exceed.
func Quantile(sorted []float64, share float64) float64 {
	return sorted[int(math.Ceil(share*float64(len(sorted))))-1]
}
