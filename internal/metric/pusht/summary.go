package pusht

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/metric"
)

// Summary holds the measures of the PushT tables over several initial
// conditions. The abbreviations are those of the tables. Pairs of one condition
// share their start, so intervals take the conditions as the independent units.
type Summary struct {
	Conditions, Pairs int // pairs per condition

	DTW, DFD   metric.Estimate    // normalised units; interval of [metric.ClusteredMean]
	Completion [2]metric.Estimate // TC per member
	Completed  metric.Estimate    // TC of both; Std over trajectories, Within and Between over means of pairs
	Limits     []Limit            // CS
}

// Limit is CS for one speed limit.
type Limit struct {
	Limit  float64            // normalised units per hundredth of a second
	Member [2]metric.Estimate // fraction of the segments of each member that keep it
	Both   metric.Estimate    // mean of both members
}

// CountError says that a condition has no pairs, or another number of them than the first one.
type CountError struct{ Condition, Pairs, Want int }

func (e *CountError) Error() string {
	return fmt.Sprintf("metric: condition %d has %d pairs; every condition must have the same number, as condition 0 with %d, and at least one", e.Condition, e.Pairs, e.Want)
}

// Summarise computes the measures of judged pairs by condition, the same number of
// each, at the limits against which they were judged. Standard deviations follow the
// published evaluation. The error is a [*CountError].
func Summarise(judged [][]Sample, limits []float64) (Summary, error) {
	s := Summary{Conditions: len(judged)}
	for c, pairs := range judged {
		if n := len(judged[0]); len(pairs) == 0 || len(pairs) != n {
			return Summary{}, &CountError{c, len(pairs), n}
		}
		s.Pairs = len(pairs)
	}
	if s.Pairs == 0 {
		return s, nil
	}
	s.distances(judged)
	s.completion(judged)
	for i, limit := range limits {
		s.Limits = append(s.Limits, limitOf(judged, i, limit))
	}
	return s, nil
}

func (s *Summary) distances(judged [][]Sample) {
	of := func(f func(Sample) float64) metric.Estimate {
		e := metric.EstimateOf(judged, f)
		e.Interval = metric.ClusteredMean(metric.TrialMeans(judged, f))
		return e
	}
	s.DTW = of(func(x Sample) float64 { return x.DTW })
	s.DFD = of(func(x Sample) float64 { return x.DFD })
}

func (s *Summary) completion(judged [][]Sample) {
	var all []float64
	for _, pairs := range judged {
		for _, x := range pairs {
			all = append(all, x.Completion[:]...)
		}
	}
	s.Completion = perMember(judged, func(x Sample) [2]float64 { return x.Completion })
	s.Completed = metric.EstimateOf(judged, func(x Sample) float64 { return (x.Completion[0] + x.Completion[1]) / 2 })
	_, variance := metric.Moments(all)
	s.Completed.Std = math.Sqrt(variance)
}

func limitOf(judged [][]Sample, i int, limit float64) Limit {
	return Limit{
		Limit:  limit,
		Member: perMember(judged, func(x Sample) [2]float64 { return x.Within[i] }),
		Both:   metric.EstimateOf(judged, func(x Sample) float64 { return (x.Within[i][0] + x.Within[i][1]) / 2 }),
	}
}

func perMember(judged [][]Sample, f func(Sample) [2]float64) (e [2]metric.Estimate) {
	for m := range e {
		e[m] = metric.EstimateOf(judged, func(x Sample) float64 { return f(x)[m] })
	}
	return e
}
