package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// source is where the statistics of features are.
type source interface {
	// statistic returns the tensor of a feature.
	statistic(feature, name string) (weights.Tensor, bool)
}

// inModel finds statistics among the weights: <prefix>.buffer_<feature>.<statistic>, with
// underscores for the dots of the feature.
type inModel struct {
	sd     *weights.StateDict
	prefix string
}

func (s inModel) statistic(feature, name string) (weights.Tensor, bool) {
	return s.sd.Tensor(s.prefix + ".buffer_" + strings.ReplaceAll(feature, ".", "_") + "." + name)
}

// besideModel finds statistics in a file of their own: <feature>.<statistic>.
type besideModel struct{ sd *weights.StateDict }

func (s besideModel) statistic(feature, name string) (weights.Tensor, bool) {
	if s.sd == nil {
		return weights.Tensor{}, false
	}
	return s.sd.Tensor(feature + "." + name)
}

// newNormalizer reads what the normalisation of a feature needs.
func newNormalizer(f Feature, mode Mode, from source, inModel bool, epsilon float64) (*normalizer, error) {
	n := &normalizer{mode: mode, inModel: inModel, epsilon: float32(epsilon)}
	if mode == identityMode || mode == "" {
		n.mode = identityMode
		return n, nil
	}
	low, high := mode.statistics()
	var err error
	if n.low, err = readStatistic(f, low, from); err != nil {
		return nil, err
	}
	if n.high, err = readStatistic(f, high, from); err != nil {
		return nil, err
	}
	return n, n.check(f)
}

// check returns a [StatisticsError] for statistics that do not fit a feature.
func (n *normalizer) check(f Feature) error {
	if n.mode == identityMode || n.mode == "" {
		n.mode = identityMode
		return nil
	}
	low, high := n.mode.statistics()
	want := f.Size()
	if f.Type == Visual {
		want = f.Shape[0]
	}
	if len(n.low) != want || len(n.high) != want {
		return &StatisticsError{f.Key, low, fmt.Sprintf("%d and %d numbers, want %d", len(n.low), len(n.high), want)}
	}
	for i := range n.low {
		for k, v := range [2]float32{n.low[i], n.high[i]} {
			if v-v != 0 {
				return &StatisticsError{f.Key, [2]string{low, high}[k], fmt.Sprintf("number %d is %g, want a finite number", i, v)}
			}
		}
		if n.mode == MeanStd && n.high[i] < 0 {
			return &StatisticsError{f.Key, high, fmt.Sprintf("number %d is %g, want 0 or more", i, n.high[i])}
		}
		if d := n.divisor(i); !(d != 0) || math.IsInf(float64(d), 0) {
			return &StatisticsError{f.Key, high, fmt.Sprintf("number %d leads to a division by %g, want a finite number that is not 0", i, d)}
		}
	}
	return nil
}

// readStatistic returns one number for every number of a vector, or for every channel of an
// image.
func readStatistic(f Feature, name string, from source) ([]float32, error) {
	t, ok := from.statistic(f.Key, name)
	if !ok {
		return nil, &StatisticsError{f.Key, name, "is missing, and without it the policy would be told other numbers than it learned from"}
	}
	want := f.Shape
	if f.Type == Visual {
		want = []int{f.Shape[0], 1, 1}
	}
	if !slices.Equal(t.Shape, want) && !(f.Type == Visual && slices.Equal(t.Shape, want[:1])) {
		return nil, &StatisticsError{f.Key, name, fmt.Sprintf("has shape %v, want %v", t.Shape, want)}
	}
	v, err := t.Float32s(nil)
	if err != nil {
		return nil, &StatisticsError{f.Key, name, err.Error()}
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, &StatisticsError{f.Key, name, fmt.Sprintf("number %d is %g, want a finite number", i, x)}
		}
	}
	return v, nil
}
