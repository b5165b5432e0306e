package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/internal/metric"
)

// Tally accumulates the measures of the navigation tables trial by trial. The
// zero value is empty. It survives JSON exactly, so that an evaluation can be
// stopped, and extended, at any trial.
type Tally struct {
	Trials  int `json:"trials"`
	Samples int `json:"samples"` // of the first trial
	Robots  int `json:"robots"`

	Success      metric.Running `json:"success"`
	Safe         metric.Running `json:"safe"`
	PairSafe     metric.Running `json:"pair_safe"`
	Clear        metric.Running `json:"clear"`
	SafeAndClear metric.Running `json:"safe_and_clear"`
	Feasible     metric.Running `json:"feasible"`
	Contacts     metric.Running `json:"contacts"`

	WithinLimit       []metric.Running `json:"within_limit"`
	WithinLimitRobots metric.Running   `json:"within_limit_robots"`
	Adherence         []metric.Running `json:"adherence"`
	AdherenceRobots   metric.Running   `json:"adherence_robots"`
	FirstFeasible     []int            `json:"first_feasible"`
}

// Add adds the judged samples of one trial, as many as every other trial has.
// Limits are the speed limits of the robots in normalised units per second.
func (t *Tally) Add(trial []Sample, limits []float64) {
	if t.Trials == 0 {
		t.Samples, t.Robots = len(trial), len(limits)
		t.WithinLimit, t.Adherence = make([]metric.Running, len(limits)), make([]metric.Running, len(limits))
	}
	t.Trials++
	add := func(r *metric.Running, quantity func(Sample) float64) { r.Add(metric.Values(trial, quantity)) }
	pairs := max(float64(t.Robots*(t.Robots-1))/2, 1)

	t.Success.Add([]float64{metric.Indicator(anySuccess(trial))})
	add(&t.Safe, func(x Sample) float64 { return metric.Indicator(x.Safe()) })
	add(&t.PairSafe, func(x Sample) float64 { return 1 - float64(x.Meeting)/pairs })
	add(&t.Clear, func(x Sample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return metric.Indicator(!x.Hit[p]) })
	})
	add(&t.SafeAndClear, func(x Sample) float64 { return metric.Indicator(x.Success()) })
	add(&t.Feasible, func(x Sample) float64 { return metric.Indicator(x.Feasible(limits)) })
	add(&t.Contacts, func(x Sample) float64 { return float64(x.Contacts) })
	for p := range t.Adherence {
		add(&t.Adherence[p], func(x Sample) float64 { return x.Adherence[p] })
	}
	add(&t.AdherenceRobots, func(x Sample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return x.Adherence[p] })
	})
	t.addLimits(trial, limits)
	t.FirstFeasible = append(t.FirstFeasible, FirstFeasible(trial, limits))
}

// addLimits leaves out a trial without a result.
func (t *Tally) addLimits(trial []Sample, limits []float64) {
	if len(trial) == 0 || math.IsNaN(trial[0].TopSpeed[0]) {
		return
	}
	within := func(x Sample, p int) float64 { return metric.Indicator(x.Within(p, limits[p])) }
	for p := range limits {
		t.WithinLimit[p].Add(metric.Values(trial, func(x Sample) float64 { return within(x, p) }))
	}
	t.WithinLimitRobots.Add(metric.Values(trial, func(x Sample) float64 {
		return overRobots(t.Robots, func(p int) float64 { return within(x, p) })
	}))
}

// Summary returns the measures of the trials so far.
func (t *Tally) Summary() Summary {
	s := Summary{
		Trials: t.Trials, Samples: t.Samples, Robots: t.Robots,
		Success: t.Success.TrialRate(), Safe: t.Safe.Estimate(), PairSafe: t.PairSafe.Estimate(), Clear: t.Clear.Estimate(),
		SafeAndClear: t.SafeAndClear.Estimate(), Feasible: t.Feasible.Estimate(), Contacts: t.Contacts.Estimate(),
		WithinLimitRobots: t.WithinLimitRobots.Estimate(), AdherenceRobots: t.AdherenceRobots.Estimate(),
		LimitTrials: t.WithinLimitRobots.Trials, FirstFeasible: t.FirstFeasible,
	}
	s.Contacts.Interval = metric.Interval{}
	for p := range t.Adherence {
		s.Adherence = append(s.Adherence, t.Adherence[p].Estimate())
		s.WithinLimit = append(s.WithinLimit, t.WithinLimit[p].Estimate())
	}
	s.firstFeasible()
	return s
}

// firstFeasible fills the measures that follow from the first feasible samples.
func (s *Summary) firstFeasible() {
	var trials metric.Running
	var used []float64
	for _, i := range s.FirstFeasible {
		trials.Add([]float64{metric.Indicator(i >= 0)})
		if i >= 0 {
			used = append(used, float64(i+1))
		}
	}
	s.FeasibleTrials = trials.TrialRate()
	mean, variance := metric.Moments(used)
	s.SamplesPerTrialUsed = metric.Estimate{Mean: mean, Std: math.Sqrt(variance)}
}

func anySuccess(trial []Sample) bool {
	for _, x := range trial {
		if x.Success() {
			return true
		}
	}
	return false
}
