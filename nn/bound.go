package nn

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// Bound is a network with the conditions of a run. It implements
// [denoise.Linearizer].
type Bound struct {
	model
	condition tensor.Batch
	hint      tensor.Batch // of a network that has one
}

// given are the conditions and the hints of the samples of a call.
type given [2][]float32

// rows returns the conditions and the hints of the samples of x.
func (b *Bound) rows(x tensor.Batch) (g given, err error) {
	if g[0], err = rowsOf(b.condition, x, b.size.rows > 0); err == nil && b.hint.Data != nil {
		g[1], err = rowsOf(b.hint, x, true)
	}
	return g, err
}

// rowsOf returns the rows of c for the samples of x; the only one serves all of them
// where that is allowed.
func rowsOf(c, x tensor.Batch, shared bool) ([]float32, error) {
	if shared && c.N == 1 && x.N > 0 {
		if x.N == 1 {
			return c.Data, nil
		}
		return slices.Repeat(c.Data, x.N), nil
	}
	lo := x.First - c.First
	if lo < 0 || lo+x.N > c.N {
		at := x.First
		if lo >= 0 {
			at = max(at, c.First+c.N)
		}
		return nil, &conditionError{Sample: at, Lo: c.First, Hi: c.First + c.N}
	}
	return c.Rows(lo, lo+x.N).Data, nil
}

// Predict implements [denoise.Denoiser]. It returns an error that names
// the first sample without a condition, and panics when dst and x do not have the shape of the
// network.
func (b *Bound) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	return b.predictAt(ctx, dst, x, float64(t))
}

// VJP implements [denoise.VJPer].
func (b *Bound) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	return b.vjpAt(ctx, dst, x, cotangent, float64(t))
}

// vjpCondition is VJP that also writes the product of every cotangent with the
// Jacobian with respect to the condition of its sample to dCondition, which has a
// the shape of the condition for each row of x.
func (b *Bound) vjpCondition(ctx context.Context, dst, dCondition, x, cotangent tensor.Batch, t int) error {
	rows, err := b.rows(x)
	if err != nil {
		return err
	}
	if dCondition.N != x.N || dCondition.Size() != b.condition.Size() {
		panic(fmt.Sprintf("nn: cotangents of %d conditions of %d numbers, want %d of %d",
			dCondition.N, dCondition.Size(), x.N, b.condition.Size()))
	}
	return b.vjp(ctx, dst, x, cotangent, rows, dCondition.Data, float64(t))
}
