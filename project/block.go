package project

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// blockSet is what [NewBlock] returns.
type blockSet struct {
	set               Projector
	waypoint, channel int
	shape             tensor.Shape
}

// NewBlock returns a set that applies a set to a block of samples of the shape [waypoint, channel] and
// leaves the rest alone: waypoints Waypoint to Waypoint+Shape[0]-1 and channels
// Channel to Channel+Shape[1]-1, which the set sees as a sample of that Shape. The
// intersection of sets on separate blocks is their product.
func NewBlock(set Projector, waypoint, channel int, shape tensor.Shape) (Exact, error) {
	if set == nil {
		return nil, &ParameterError{Set: "block", Name: "number of sets", Value: 0, Want: "1"}
	}
	if waypoint < 0 || channel < 0 {
		return nil, &ParameterError{Set: "block", Name: "smaller one of waypoint and channel", Value: float64(min(waypoint, channel)), Want: "at least 0"}
	}
	if len(shape) != 2 {
		return nil, &ShapeError{Set: "block", Shape: shape, Want: "[waypoints, channels]"}
	}
	if err := set.Check(shape); err != nil {
		return nil, err
	}
	return &blockSet{set, waypoint, channel, append(tensor.Shape(nil), shape...)}, nil
}

// Check implements [Set].
func (b *blockSet) Check(shape tensor.Shape) error {
	h, c := b.waypoint+b.shape[0], b.channel+b.shape[1]
	if len(shape) != 2 || shape[0] < h || shape[1] < c {
		return &ShapeError{Set: "block", Shape: shape, Want: fmt.Sprintf("at least %d waypoints and %d channels", h, c)}
	}
	return nil
}

// Violation implements [Set].
func (b *blockSet) Violation(dst []float64, x tensor.Batch) {
	b.set.Violation(dst, b.gather(x))
	for k := range x.N {
		if !finite(x.Sample(k)) {
			dst[k] = inf
		}
	}
}

// Project implements [Projector].
func (b *blockSet) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if !dst.SameAs(x) {
		panic(fmt.Sprintf("project: dst is %d samples of shape %v, x is %d of %v", dst.N, dst.Shape, x.N, x.Shape))
	}
	if err := b.Check(x.Shape); err != nil {
		return Report{}, err
	}
	if err := x.CheckFinite(); err != nil {
		return Report{}, err
	}
	part := b.gather(x)
	r, err := b.set.Project(ctx, part, part)
	if err != nil {
		return r, err
	}
	dst.CopyFrom(x)
	for k := range x.N {
		b.rows(x.Shape, func(whole, in int) {
			copy(dst.Sample(k)[whole:], part.Sample(k)[in:in+b.shape[1]])
		})
	}
	return r, nil
}

// ProjectExact implements [Exact] as far as the set does.
func (b *blockSet) ProjectExact(dst, x []float64, shape tensor.Shape, sample int) {
	part := make([]float64, b.shape.Size())
	b.rows(shape, func(whole, in int) { copy(part[in:in+b.shape[1]], x[whole:]) })
	projectOne(b.set, part, part, b.shape, sample)
	copy(dst, x)
	b.rows(shape, func(whole, in int) { copy(dst[whole:], part[in:in+b.shape[1]]) })
}

func (b *blockSet) checkSample(x tensor.Batch, k int) error {
	c, ok := b.set.(sampleChecker)
	if !ok {
		return nil
	}
	return c.checkSample(b.gather(x.Rows(k, k+1)), 0)
}

// gather copies the block out of x.
func (b *blockSet) gather(x tensor.Batch) tensor.Batch {
	part := tensor.New(x.N, b.shape...)
	part.First = x.First
	for k := range x.N {
		b.rows(x.Shape, func(whole, in int) {
			copy(part.Sample(k)[in:in+b.shape[1]], x.Sample(k)[whole:])
		})
	}
	return part
}

// rows calls f with the index of every row of the block, in the sample and in the
// block.
func (b *blockSet) rows(shape tensor.Shape, f func(whole, in int)) {
	for h := range b.shape[0] {
		f((b.waypoint+h)*shape[1]+b.channel, h*b.shape[1])
	}
}
