package metric

import "math"

// NavTally accumulates the measures of the navigation tables trial by trial. The
// zero value is empty. It survives JSON exactly, so that an evaluation can be
// stopped, and extended, at any trial.
type NavTally struct {
	Trials  int `json:"trials"`
	Samples int `json:"samples"` // of the first trial
	Robots  int `json:"robots"`

	Success      Running `json:"success"`
	Safe         Running `json:"safe"`
	PairSafe     Running `json:"pair_safe"`
	Clear        Running `json:"clear"`
	SafeAndClear Running `json:"safe_and_clear"`
	Feasible     Running `json:"feasible"`
	Contacts     Running `json:"contacts"`

	WithinLimit       []Running `json:"within_limit"`
	WithinLimitRobots Running   `json:"within_limit_robots"`
	Adherence         []Running `json:"adherence"`
	AdherenceRobots   Running   `json:"adherence_robots"`
	FirstFeasible     []int     `json:"first_feasible"`
}

// Add adds the judged samples of one trial, as many as every other trial has.
// Limits are the speed limits of the robots in normalised units per second.
func (t *NavTally) Add(trial []NavSample, limits []float64) {
	if t.Trials == 0 {
		t.Samples, t.Robots = len(trial), len(limits)
		t.WithinLimit, t.Adherence = make([]Running, len(limits)), make([]Running, len(limits))
	}
	t.Trials++
	add := func(r *Running, quantity func(NavSample) float64) { r.Add(valuesOf(trial, quantity)) }
	pairs := max(float64(t.Robots*(t.Robots-1))/2, 1)

	t.Success.Add([]float64{indicator(anySuccess(trial))})
	add(&t.Safe, func(x NavSample) float64 { return indicator(x.Safe()) })
	add(&t.PairSafe, func(x NavSample) float64 { return 1 - float64(x.Meeting)/pairs })
	add(&t.Clear, func(x NavSample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return indicator(!x.Hit[p]) })
	})
	add(&t.SafeAndClear, func(x NavSample) float64 { return indicator(x.Success()) })
	add(&t.Feasible, func(x NavSample) float64 { return indicator(x.Feasible(limits)) })
	add(&t.Contacts, func(x NavSample) float64 { return float64(x.Contacts) })
	for p := range t.Adherence {
		add(&t.Adherence[p], func(x NavSample) float64 { return x.Adherence[p] })
	}
	add(&t.AdherenceRobots, func(x NavSample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return x.Adherence[p] })
	})
	t.addLimits(trial, limits)
	t.FirstFeasible = append(t.FirstFeasible, FirstFeasible(trial, limits))
}

// addLimits leaves out a trial without a result.
func (t *NavTally) addLimits(trial []NavSample, limits []float64) {
	if len(trial) == 0 || math.IsNaN(trial[0].TopSpeed[0]) {
		return
	}
	within := func(x NavSample, p int) float64 { return indicator(x.Within(p, limits[p])) }
	for p := range limits {
		t.WithinLimit[p].Add(valuesOf(trial, func(x NavSample) float64 { return within(x, p) }))
	}
	t.WithinLimitRobots.Add(valuesOf(trial, func(x NavSample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return within(x, p) })
	}))
}

// Summary returns the measures of the trials so far.
func (t *NavTally) Summary() NavSummary {
	s := NavSummary{
		Trials: t.Trials, Samples: t.Samples, Robots: t.Robots,
		Success: t.Success.trialRate(), Safe: t.Safe.Estimate(), PairSafe: t.PairSafe.Estimate(), Clear: t.Clear.Estimate(),
		SafeAndClear: t.SafeAndClear.Estimate(), Feasible: t.Feasible.Estimate(), Contacts: t.Contacts.Estimate(),
		WithinLimitRobots: t.WithinLimitRobots.Estimate(), AdherenceRobots: t.AdherenceRobots.Estimate(),
		LimitTrials: t.WithinLimitRobots.Trials, FirstFeasible: t.FirstFeasible,
	}
	s.Contacts.Interval = Interval{}
	for p := range t.Adherence {
		s.Adherence = append(s.Adherence, t.Adherence[p].Estimate())
		s.WithinLimit = append(s.WithinLimit, t.WithinLimit[p].Estimate())
	}
	s.firstFeasible()
	return s
}

// firstFeasible fills the measures that follow from the first feasible samples.
func (s *NavSummary) firstFeasible() {
	var trials Running
	var used []float64
	for _, i := range s.FirstFeasible {
		trials.Add([]float64{indicator(i >= 0)})
		if i >= 0 {
			used = append(used, float64(i+1))
		}
	}
	s.FeasibleTrials = trials.trialRate()
	mean, variance := moments(used)
	s.SamplesPerTrialUsed = Estimate{Mean: mean, Std: math.Sqrt(variance)}
}

func anySuccess(trial []NavSample) bool {
	for _, x := range trial {
		if x.Success() {
			return true
		}
	}
	return false
}
