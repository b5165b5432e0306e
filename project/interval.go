package project

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/ulp"
	"github.com/go-pcd/pcd/tensor"
)

// intervalSet is what [NewInterval] returns.
type intervalSet struct {
	lo, hi           float32 // the float32 members at the ends
	exactLo, exactHi float64
}

// NewInterval returns the set of samples whose elements are all in [Lo, Hi]; either bound
// may be infinite. The violation is the farthest distance of an element from the
// interval.
//
// Bounds that float32 does not have are rounded to the inside.
func NewInterval(lo, hi float64) (Exact, error) {
	l, h, err := bounds("interval", lo, hi)
	if err != nil {
		return nil, err
	}
	return &intervalSet{l, h, lo, hi}, nil
}

// bounds rounds an interval to the float32 numbers in it.
func bounds(set string, lo, hi float64) (float32, float32, error) {
	if math.IsNaN(lo) || lo > math.MaxFloat32 {
		return 0, 0, &ParameterError{Set: set, Name: "Lo", Value: lo, Want: "a number below the largest float32"}
	}
	if math.IsNaN(hi) || hi < lo || hi < -math.MaxFloat32 {
		return 0, 0, &ParameterError{Set: set, Name: "Hi", Value: hi, Want: "a number that is at least Lo"}
	}
	_, l := ulp.Cell(max(lo, -math.MaxFloat32))
	h, _ := ulp.Cell(min(hi, math.MaxFloat32))
	if l > h {
		return 0, 0, &ParameterError{Set: set, Name: "Hi", Value: hi, Want: "an interval that contains a float32 number"}
	}
	return l, h, nil
}

// Check implements [Set]: every shape will do.
func (s *intervalSet) Check(shape tensor.Shape) error { return shape.Check() }

// Violation implements [Set].
func (s *intervalSet) Violation(dst []float64, x tensor.Batch) { violations(s, dst, x) }

// Project implements [Projector]. It is one pass over the elements, because
// samples of a few numbers would pay more for the row than for the arithmetic.
func (s *intervalSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := CheckCall(ctx, s, dst, x); err != nil {
		return Report{}, err
	}
	if x.N == 0 {
		return Report{}, nil
	}
	moved := 0
	if size := x.Size(); size > 1 {
		moved = s.rowsOutside(x, size) // dst may be x: count before writing
	}
	lowest, highest, elements := kernel.Clamp(dst.Data, x.Data, s.lo, s.hi)
	if x.Size() == 1 {
		moved = elements
	}
	worst := func(lowest, highest float32) float64 {
		return max(outside(lowest, s.lo, s.hi), outside(highest, s.lo, s.hi))
	}
	return Report{
		Samples: x.N, Moved: moved, ViolationBefore: worst(lowest, highest),
		ViolationAfter: worst(min(max(lowest, s.lo), s.hi), min(max(highest, s.lo), s.hi)),
	}, nil
}

// rowsOutside counts the rows that are not members.
func (s *intervalSet) rowsOutside(x tensor.Batch, size int) int {
	n := 0
	for at := 0; at < len(x.Data); at += size {
		for _, v := range x.Data[at : at+size] {
			if v < s.lo || v > s.hi {
				n++
				break
			}
		}
	}
	return n
}

// ProjectExact implements [Exact].
func (s *intervalSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	for i, v := range x {
		dst[i] = min(max(v, s.exactLo), s.exactHi)
	}
}

// excess is Violation for one finite row.
func (s *intervalSet) excess(x tensor.Batch, k int) float64 {
	e := -inf
	for _, v := range x.Sample(k) {
		e = max(e, outside(v, s.lo, s.hi))
	}
	return e
}

// outside returns by how much v is outside of [lo, hi]; 0 or less inside.
func outside(v, lo, hi float32) float64 {
	return max(float64(lo)-float64(v), float64(v)-float64(hi))
}
