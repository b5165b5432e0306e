package train

import (
	"sort"

	"github.com/go-pcd/pcd/schedule"
)

// levels draws noise levels: all alike, or those at which a model has to guess the
// whole of a sample from little more often. Their part of the mean squared error of
// the noise is small, so that models learn it last.
type levels struct {
	steps      int
	cumulative []float64 // probability of the levels up to each; nil when all are alike
}

// noSignal is the ratio of the variances of noise and signal from which a level
// teaches nothing.
const noSignal = 1000

// newLevels gives each level the probability of its ratio of noise to signal, held
// between 1 and emphasis; 0 makes all alike.
//
// Source: the weights of Hang et al., "Efficient diffusion training via min-SNR
// weighting strategy" (ICCV 2023), for predictions of the clean sample, as
// probabilities.
func newLevels(s *schedule.Schedule, emphasis float64) levels {
	l := levels{steps: s.Len()}
	if emphasis == 0 {
		return l
	}
	total := 0.0
	for i := range s.Len() {
		ratio := s.At(i).NoiseToSignal * s.At(i).NoiseToSignal
		if ratio > noSignal {
			ratio = 1
		}
		total += min(max(ratio, 1), emphasis)
		l.cumulative = append(l.cumulative, total)
	}
	for i := range l.cumulative {
		l.cumulative[i] /= total
	}
	return l
}

// at returns the level of a number drawn uniformly from [0, 1).
func (l levels) at(u float64) int {
	if l.cumulative == nil {
		return int(u * float64(l.steps))
	}
	return min(sort.Search(l.steps, func(i int) bool { return u < l.cumulative[i] }), l.steps-1)
}
