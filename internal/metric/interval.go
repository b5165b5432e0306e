package metric

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a 95 % confidence interval.
type Interval struct{ Lo, Hi float64 }

// z95 is the 97.5 % quantile of the standard normal distribution.
const z95 = 1.959963984540054

// Wilson returns the score interval of a proportion of n independent trials; n
// need not be an integer. Without trials it is [0, 1].
//
// Source: Wilson, "Probable inference, the law of succession, and statistical
// inference" (JASA 22, 1927).
func Wilson(proportion, n float64) Interval {
	if !(n > 0) {
		return Interval{0, 1}
	}
	const z2 = z95 * z95
	middle := (proportion + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(proportion*(1-proportion)/n+z2/(4*n*n))
	lo, hi := max(0, middle-half), min(1, middle+half)
	if proportion == 0 { // rounding must not exclude the estimate itself
		lo = 0
	}
	if proportion == 1 {
		hi = 1
	}
	return Interval{lo, hi}
}

// ClusteredRate returns the interval of the mean of a quantity between 0 and 1
// from its mean in each of several independent trials of equal size: the Wilson
// interval with the effective number of samples p(1-p)/v, v being the variance
// of the mean estimated between trials. When trials do not differ the effective
// number is that of the trials, the most cautious choice.
//
// Source: Korn and Graubard, "Confidence intervals for proportions with small
// expected number of positive counts estimated from survey data" (Survey
// Methodology 24, 1998), with the score interval.
func ClusteredRate(trialMeans []float64) Interval {
	n := float64(len(trialMeans))
	if n == 0 {
		return Interval{0, 1}
	}
	mean, variance := Moments(trialMeans)
	return clusteredRate(mean, variance, n)
}

// clusteredRate is [ClusteredRate] from the mean and the population variance of n
// trial means.
func clusteredRate(mean, variance, n float64) Interval {
	effective := n
	const rounding = 1e-24 // spread of equal numbers
	if n > 1 && variance > rounding {
		effective = mean * (1 - mean) / (variance / (n - 1)) // the sample variance over n
	}
	return Wilson(mean, effective)
}

// ClusteredMean returns the interval of the mean of a quantity from its mean in
// each of several independent trials of equal size: Student's, with the trial
// means as the sample. One trial says nothing of the others; its interval is
// [Interval]{}.
//
// Source: Student, "The probable error of a mean" (Biometrika 6, 1908).
func ClusteredMean(trialMeans []float64) Interval {
	n := float64(len(trialMeans))
	if n < 2 {
		return Interval{}
	}
	mean, variance := Moments(trialMeans)
	t := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975)
	half := t * math.Sqrt(variance/(n-1)) // the sample variance over n
	return Interval{mean - half, mean + half}
}
