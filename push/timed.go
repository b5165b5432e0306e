package push

import (
	"context"
	"time"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// timed counts the time of vector-Jacobian products.
type timed struct {
	*nn.Bound
	calls *calls
}

func (c *calls) product(f func() error) error {
	start := time.Now()
	err := f()
	c.products.Add(int64(time.Since(start)))
	return err
}

// VJP implements [denoise.VJPer].
func (t timed) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, step int) error {
	return t.calls.product(func() error { return t.Bound.VJP(ctx, dst, x, cotangent, step) })
}

// Linearize implements [denoise.Linearizer].
func (t timed) Linearize(ctx context.Context, dst, x tensor.Batch, step int) (denoise.Pullback, error) {
	p, err := t.Bound.Linearize(ctx, dst, x, step)
	if err != nil {
		return nil, err
	}
	return timedPullback{p, t.calls}, nil
}

type timedPullback struct {
	denoise.Pullback
	calls *calls
}

// VJP implements [denoise.Pullback].
func (p timedPullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	return p.calls.product(func() error { return p.Pullback.VJP(ctx, dst, cotangent) })
}
