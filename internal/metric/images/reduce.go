package images

import (
	"fmt"
	"math"
	"slices"
)

// Stats describe a set of numbers; Std divides by their number.
type Stats struct{ Mean, Std, Min, Max float64 }

// StatsOf describes numbers; those of none are not numbers.
func StatsOf(x []float64) Stats {
	n := float64(len(x))
	s := Stats{Min: math.Inf(1), Max: math.Inf(-1)}
	for _, v := range x {
		s.Mean += v / n
		s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	}
	for _, v := range x {
		s.Std += (v - s.Mean) * (v - s.Mean) / n
	}
	s.Std = math.Sqrt(s.Std)
	if len(x) == 0 {
		return Stats{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	}
	return s
}

// Pairs lists the unordered pairs of n images, (0, 1) first: what the diversity of a set
// is measured on.
func Pairs(n int) (pairs [][2]int) {
	for i := range n {
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// Reduction makes one number of the measures of an image against all exemplars.
type Reduction int

// The reductions. Distances are reduced by Least, similarities by Mean.
const (
	Least Reduction = iota
	Mean
	Most
	LeastMean // of the k least
)

// Of reduces the measures of one image; k counts for LeastMean alone. It returns a
// [CountError] for an image without exemplars, or fewer than k.
func (r Reduction) Of(measures []float64, k int) (float64, error) {
	if r != LeastMean {
		k = 1
	}
	if k < 1 || len(measures) < k {
		return 0, &CountError{len(measures), k}
	}
	switch r {
	case Least:
		return slices.Min(measures), nil
	case Most:
		return slices.Max(measures), nil
	case Mean:
		return StatsOf(measures).Mean, nil
	case LeastMean:
		sorted := slices.Sorted(slices.Values(measures))
		return StatsOf(sorted[:k]).Mean, nil
	}
	panic(fmt.Sprintf("images: reduction %d", r))
}

// CountError says that an image was measured against too few exemplars.
type CountError struct{ Got, Want int }

func (e *CountError) Error() string {
	return fmt.Sprintf("images: an image measured against %d exemplars, want at least %d", e.Got, e.Want)
}
