package metric

import (
	"errors"
	"fmt"
	"math"
)

// PushTSummary holds the measures of the PushT tables over several initial
// conditions. The abbreviations are those of the tables. Pairs of one condition
// share their start, so intervals take the conditions as the independent units.
type PushTSummary struct {
	Conditions, Pairs int // pairs per condition

	DTW, DFD   Estimate     // normalised units; interval of [ClusteredMean]
	Completion [2]Estimate  // TC per member
	Completed  Estimate     // TC of both; Std over trajectories, Within and Between over means of pairs
	Limits     []PushTLimit // CS
}

// PushTLimit is CS for one speed limit.
type PushTLimit struct {
	Limit  float64     // normalised units per hundredth of a second
	Member [2]Estimate // fraction of the segments of each member that keep it
	Both   Estimate    // mean of both members
}

// SummarisePushT judges the pairs of every condition, the same number of each,
// against speed limits and computes the measures; see [SummarisePushTSamples]. The
// error is a [*PushTError].
func SummarisePushT(conditions [][]PushTPair, limits []float64) (PushTSummary, error) {
	judged := make([][]PushTSample, len(conditions))
	for c, pairs := range conditions {
		for i, p := range pairs {
			sample, err := JudgePushT(p, limits)
			if err != nil {
				return PushTSummary{}, placed(err, c, i)
			}
			judged[c] = append(judged[c], sample)
		}
	}
	return SummarisePushTSamples(judged, limits)
}

// SummarisePushTSamples computes the measures of judged pairs by condition, the
// same number of each. Standard deviations follow the published evaluation. The
// error is a [*PushTError].
func SummarisePushTSamples(judged [][]PushTSample, limits []float64) (PushTSummary, error) {
	s := PushTSummary{Conditions: len(judged)}
	for c, pairs := range judged {
		if n := len(judged[0]); len(pairs) == 0 || len(pairs) != n {
			return PushTSummary{}, &PushTError{Condition: c, Problem: fmt.Sprintf("%d pairs; every condition must have the same number, as condition 0 with %d, and at least one", len(pairs), n)}
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

// placed says where in the data an error is.
func placed(err error, condition, pair int) error {
	var e *PushTError
	if errors.As(err, &e) {
		e.Condition, e.Pair = condition, pair
	}
	return err
}

func (s *PushTSummary) distances(judged [][]PushTSample) {
	of := func(f func(PushTSample) float64) Estimate {
		e := estimate(judged, f)
		e.Interval = ClusteredMean(trialMeans(judged, f))
		return e
	}
	s.DTW = of(func(x PushTSample) float64 { return x.DTW })
	s.DFD = of(func(x PushTSample) float64 { return x.DFD })
}

func (s *PushTSummary) completion(judged [][]PushTSample) {
	var all []float64
	for _, pairs := range judged {
		for _, x := range pairs {
			all = append(all, x.Completion[:]...)
		}
	}
	s.Completion = perMember(judged, func(x PushTSample) [2]float64 { return x.Completion })
	s.Completed = estimate(judged, func(x PushTSample) float64 { return (x.Completion[0] + x.Completion[1]) / 2 })
	_, variance := moments(all)
	s.Completed.Std = math.Sqrt(variance)
}

func limitOf(judged [][]PushTSample, i int, limit float64) PushTLimit {
	return PushTLimit{
		Limit:  limit,
		Member: perMember(judged, func(x PushTSample) [2]float64 { return x.Within[i] }),
		Both:   estimate(judged, func(x PushTSample) float64 { return (x.Within[i][0] + x.Within[i][1]) / 2 }),
	}
}

func perMember(judged [][]PushTSample, f func(PushTSample) [2]float64) (e [2]Estimate) {
	for m := range e {
		e[m] = estimate(judged, func(x PushTSample) float64 { return f(x)[m] })
	}
	return e
}
