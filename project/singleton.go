package project

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// singletonSet is what [NewSingleton] returns.
type singletonSet struct{ value perSample }

// NewSingleton returns the set of one given sample: a variable that is known. The
// violation is the largest difference of an element.
//
// The value is one row for all samples, or one row per sample, found by sample number.
func NewSingleton(value tensor.Batch) (Exact, error) {
	v, err := newPerSample("singleton", "value", value)
	if err != nil {
		return nil, err
	}
	return &singletonSet{v}, nil
}

// Check implements [Set].
func (s *singletonSet) Check(shape tensor.Shape) error {
	return checkSize("singleton", shape, s.value.b.Size())
}

// Violation implements [Set].
func (s *singletonSet) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector].
func (s *singletonSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, s, dst, x)
}

// ProjectExact implements [Exact].
func (s *singletonSet) ProjectExact(dst, _ []float64, _ tensor.Shape, sample int) {
	for i, v := range s.value.at(sample) {
		dst[i] = float64(v)
	}
}

func (s *singletonSet) checkSample(x tensor.Batch, k int) error { return s.value.check(x.First + k) }

func (s *singletonSet) excess(x tensor.Batch, k int) (e float64) {
	value := s.value.at(x.First + k)
	for i, v := range x.Sample(k) {
		e = max(e, math.Abs(float64(v)-float64(value[i])))
	}
	return e
}

func (s *singletonSet) nearest(dst, x tensor.Batch, k int) outcome {
	copy(dst.Sample(k), s.value.at(x.First+k))
	return outcome{}
}
