package nav2d

import "github.com/go-pcd/pcd/internal/metric"

// Summary holds the measures of the navigation tables over several trials.
// The abbreviations are those of the tables.
type Summary struct {
	Trials, Samples, Robots int // samples per trial

	Success      metric.Estimate // SU: fraction of trials in which some sample succeeds; interval of Wilson
	Safe         metric.Estimate // RS: no two robots meet
	PairSafe     metric.Estimate // fraction of the pairs of robots that do not meet
	Clear        metric.Estimate // fraction of the robots that hit no obstacle
	SafeAndClear metric.Estimate // fraction of the samples that succeed
	Feasible     metric.Estimate // fraction of the samples that are feasible
	Contacts     metric.Estimate // waypoints at which a pair meets, per sample; no interval

	WithinLimit         []metric.Estimate // CS per robot: keeps its speed limit at all waypoints
	WithinLimitRobots   metric.Estimate   // mean over robots
	Adherence           []metric.Estimate // DA per robot
	AdherenceRobots     metric.Estimate   // mean over robots
	LimitTrials         int               // trials that entered WithinLimit
	FirstFeasible       []int             // per trial, the index of the first feasible sample or -1
	FeasibleTrials      metric.Estimate   // fraction of trials with a feasible sample; interval of Wilson
	SamplesPerTrialUsed metric.Estimate   // samples looked at until the first feasible one, over trials that have one; no interval
}

// Summarise computes the measures from judged trials, all of the same
// number of samples and robots. Limits are the speed limits of the robots in
// normalised units per second. Standard deviations follow the published
// evaluation.
func Summarise(trials [][]Sample, limits []float64) Summary {
	var t Tally
	for _, trial := range trials {
		t.Add(trial, limits)
	}
	s := t.Summary()
	s.Robots = len(limits)
	return s
}

func overRobots(robots int, f func(p int) float64) (mean float64) {
	for p := range robots {
		mean += f(p) / float64(robots)
	}
	return mean
}
