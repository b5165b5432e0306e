package project

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

var inf = math.Inf(1)

// float is the precision of vectors.
type float interface{ ~float32 | ~float64 }

// perSample is a vector parameter of a set: one row for every sample, or one
// row per sample, found by sample number.
type perSample struct {
	set, name string
	b         tensor.Batch
}

func newPerSample(set, name string, b tensor.Batch) (perSample, error) {
	if b.N < 1 {
		return perSample{}, &ParameterError{Set: set, Name: "number of rows of the " + name, Value: float64(b.N), Want: "1 for all samples, or one per sample"}
	}
	if err := b.CheckFinite(); err != nil {
		return perSample{}, fmt.Errorf("project: %s: %s: %w", set, name, err)
	}
	return perSample{set: set, name: name, b: b.Clone()}, nil
}

// given reports whether the parameter was set at all.
func (p perSample) given() bool { return p.b.N > 0 }

// at returns the vector of a sample, which must have passed check.
func (p perSample) at(sample int) []float32 {
	if p.b.N == 1 {
		return p.b.Sample(0)
	}
	return p.b.Sample(sample - p.b.First)
}

func (p perSample) check(sample int) error {
	if p.b.N <= 1 {
		return nil
	}
	if k := sample - p.b.First; k < 0 || k >= p.b.N {
		return &missingSampleError{Set: p.set, Name: p.name, Sample: sample, First: p.b.First, N: p.b.N}
	}
	return nil
}

// checkNumber returns a [ParameterError] unless lo <= v <= hi; NaN is outside of
// everything.
func checkNumber(set, name string, v, lo, hi float64, want string) error {
	if v >= lo && v <= hi {
		return nil
	}
	return &ParameterError{Set: set, Name: name, Value: v, Want: want}
}

// checkVector returns a [ParameterError] for the first element that is not finite.
func checkVector(set, name string, v []float64) error {
	for i, e := range v {
		if e-e != 0 {
			return &ParameterError{Set: set, Name: fmt.Sprintf("%s[%d]", name, i), Value: e, Want: "a finite number"}
		}
	}
	return nil
}

// checkSize returns a [sizeError] when samples of a shape do not have the number
// of elements that the set was made for.
func checkSize(set string, shape tensor.Shape, want int) error {
	if err := shape.Check(); err != nil {
		return err
	}
	if shape.Size() != want {
		return &sizeError{Set: set, Shape: shape, Want: want}
	}
	return nil
}
