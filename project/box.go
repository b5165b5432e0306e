package project

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// boxSet is what [NewBox] returns.
type boxSet struct {
	lo, hi           []float32 // the float32 members at the ends
	exactLo, exactHi []float64
}

// NewBox returns the set of samples with lo[i] <= x[i] <= hi[i] for every element, in
// row-major order; bounds may be infinite. The violation is the farthest distance
// of an element from its interval.
//
// Bounds that float32 does not have are rounded to the inside.
func NewBox(lo, hi []float64) (Exact, error) {
	if len(lo) != len(hi) || len(lo) == 0 {
		return nil, &sizeError{Set: "box: upper bounds", Shape: tensor.Shape{len(hi)}, Want: max(1, len(lo))}
	}
	b := &boxSet{
		lo: make([]float32, len(lo)), hi: make([]float32, len(lo)),
		exactLo: slices.Clone(lo), exactHi: slices.Clone(hi),
	}
	for i := range lo {
		var err error
		if b.lo[i], b.hi[i], err = bounds(fmt.Sprintf("box, element %d", i), lo[i], hi[i]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Check implements [Set].
func (b *boxSet) Check(shape tensor.Shape) error { return checkSize("box", shape, len(b.lo)) }

// Violation implements [Set].
func (b *boxSet) Violation(dst []float64, x tensor.Batch) { violations(b, dst, x) }

// Project implements [Projector].
func (b *boxSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	return projectRows(ctx, b, dst, x)
}

// ProjectExact implements [Exact].
func (b *boxSet) ProjectExact(dst, x []float64, _ tensor.Shape, _ int) {
	for i, v := range x {
		dst[i] = min(max(v, b.exactLo[i]), b.exactHi[i])
	}
}

func (b *boxSet) excess(x tensor.Batch, k int) float64 {
	e := -inf
	for i, v := range x.Sample(k) {
		e = max(e, outside(v, b.lo[i], b.hi[i]))
	}
	return e
}

func (b *boxSet) nearest(dst, x tensor.Batch, k int) outcome {
	out := dst.Sample(k)
	for i, v := range x.Sample(k) {
		out[i] = min(max(v, b.lo[i]), b.hi[i])
	}
	return outcome{}
}
