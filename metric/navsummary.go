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

// NavSummary holds the measures of the navigation tables over several trials.
// The abbreviations are those of the tables.
type NavSummary struct {
	Trials, Samples, Robots int // samples per trial

	Success      Estimate // SU: fraction of trials in which some sample succeeds; interval of Wilson
	Safe         Estimate // RS: no two robots meet
	PairSafe     Estimate // fraction of the pairs of robots that do not meet
	Clear        Estimate // fraction of the robots that hit no obstacle
	SafeAndClear Estimate // fraction of the samples that succeed
	Feasible     Estimate // fraction of the samples that are feasible
	Contacts     Estimate // waypoints at which a pair meets, per sample; no interval

	WithinLimit         []Estimate // CS per robot: keeps its speed limit at all waypoints
	WithinLimitRobots   Estimate   // mean over robots
	Adherence           []Estimate // DA per robot
	AdherenceRobots     Estimate   // mean over robots
	LimitTrials         int        // trials that entered WithinLimit
	FirstFeasible       []int      // per trial, the index of the first feasible sample or -1
	FeasibleTrials      Estimate   // fraction of trials with a feasible sample; interval of Wilson
	SamplesPerTrialUsed Estimate   // samples looked at until the first feasible one, over trials that have one; no interval
}

// SummariseNavigation computes the measures from judged trials, all of the same
// number of samples and robots. Limits are the speed limits of the robots in
// normalised units per second. Standard deviations follow the published
// evaluation.
func SummariseNavigation(trials [][]NavSample, limits []float64) NavSummary {
	var t NavTally
	for _, trial := range trials {
		t.Add(trial, limits)
	}
	s := t.Summary()
	s.Robots = len(limits)
	return s
}

// estimate averages a quantity over all samples.
func estimate[T any](trials [][]T, quantity func(T) float64) (e Estimate) {
	var all, deviations []float64
	for _, t := range trials {
		values := valuesOf(t, quantity)
		_, variance := moments(values)
		deviations = append(deviations, math.Sqrt(variance))
		all = append(all, values...)
	}
	means := trialMeans(trials, quantity)
	mean, variance := moments(all)
	_, between := moments(means)
	within, _ := moments(deviations)
	return Estimate{Mean: mean, Std: math.Sqrt(variance), Within: within, Between: math.Sqrt(between), Interval: ClusteredRate(means)}
}

// trialMeans returns the mean of a quantity in each trial.
func trialMeans[T any](trials [][]T, quantity func(T) float64) (means []float64) {
	for _, t := range trials {
		mean, _ := moments(valuesOf(t, quantity))
		means = append(means, mean)
	}
	return means
}

func valuesOf[T any](samples []T, quantity func(T) float64) []float64 {
	values := make([]float64, len(samples))
	for i, x := range samples {
		values[i] = quantity(x)
	}
	return values
}

func overRobots(robots int, f func(p int) float64) (mean float64) {
	for p := range robots {
		mean += f(p) / float64(robots)
	}
	return mean
}

func indicator(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}
