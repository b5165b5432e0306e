package project

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/ulp"
	"github.com/go-pcd/pcd/tensor"
)

// halfSpaceSet is what [NewHalfSpace] returns.
type halfSpaceSet struct {
	normal []float64 // of length 1
	offset float64
}

// NewHalfSpace returns the set of samples with normal·x <= offset. The violation is the
// distance from it.
//
// The normal is not zero, row-major over the elements of a sample.
func NewHalfSpace(normal []float64, offset float64) (Exact, error) {
	const set = "half-space"
	if err := checkVector(set, "normal", normal); err != nil {
		return nil, err
	}
	largest := 0.0
	for _, v := range normal {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return nil, &ParameterError{Set: set, Name: "length of the normal", Value: 0, Want: "more than 0"}
	}
	n := make([]float64, len(normal))
	for i, v := range normal {
		n[i] = v / largest
	}
	length := math.Sqrt(dot(n, n))
	for i := range n {
		n[i] /= length
	}
	h := &halfSpaceSet{normal: n, offset: offset / largest / length}
	if err := checkVector(set, "offset", []float64{h.offset}); err != nil {
		return nil, err
	}
	return h, nil
}

func dot[F float](a []float64, x []F) (s float64) {
	for i, v := range x {
		s += a[i] * float64(v)
	}
	return s
}

// Check implements [Set].
func (h *halfSpaceSet) Check(shape tensor.Shape) error {
	return checkSize("half-space", shape, len(h.normal))
}

// Violation implements [Set].
func (h *halfSpaceSet) Violation(dst []float64, x tensor.Batch) { violations(h, dst, x) }

// Project implements [Projector].
func (h *halfSpaceSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, h, dst, x)
}

// ProjectExact implements [Exact].
func (h *halfSpaceSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	over := max(0, dot(h.normal, x)-h.offset)
	for i, v := range x {
		dst[i] = v - over*h.normal[i]
	}
}

func (h *halfSpaceSet) excess(x tensor.Batch, k int) float64 {
	return dot(h.normal, x.Sample(k)) - h.offset
}

func (h *halfSpaceSet) nearest(dst, x tensor.Batch, k int) outcome {
	return closedNearest(h, dst, x, k)
}

// round rounds to the nearest numbers or, if that leaves the set, every element
// against the normal, from a point that is moved inside by more and more until
// the rounding of float64 is made up for.
func (h *halfSpaceSet) round(dst []float32, x []float64, _ int) {
	roundNearest(dst, x)
	inset := 0.0
	for range insets {
		over := dot(h.normal, dst) - h.offset
		if over <= 0 {
			return
		}
		for i, v := range x {
			low, high := ulp.Cell(v - inset*h.normal[i])
			if dst[i] = max(low, -math.MaxFloat32); h.normal[i] < 0 {
				dst[i] = min(high, math.MaxFloat32)
			}
		}
		inset = 2*inset + over + math.SmallestNonzeroFloat32
	}
}

// insets is more than the number of doublings that lead anywhere.
const insets = 100
