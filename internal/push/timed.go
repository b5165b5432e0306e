package push

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// calls is what the models of one call of the policy share: nanoseconds in
// vector-Jacobian products.
type calls struct{ products atomic.Int64 }

// timed counts the time of vector-Jacobian products.
type timed struct {
	denoise.VJPer
	calls *calls
}

// timedLinearizer is timed for models that keep what a product needs.
type timedLinearizer struct {
	timed
	linearizer denoise.Linearizer
}

// time returns a model whose products are counted.
func (c *calls) time(m denoise.VJPer) denoise.VJPer {
	t := timed{m, c}
	if l, ok := m.(denoise.Linearizer); ok {
		return timedLinearizer{t, l}
	}
	return t
}

func (c *calls) product(f func() error) error {
	start := time.Now()
	err := f()
	c.products.Add(int64(time.Since(start)))
	return err
}

// VJP implements [denoise.VJPer].
func (t timed) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, step int) error {
	return t.calls.product(func() error { return t.VJPer.VJP(ctx, dst, x, cotangent, step) })
}

// Linearize implements [denoise.Linearizer].
func (t timedLinearizer) Linearize(ctx context.Context, dst, x tensor.Batch, step int) (denoise.Pullback, error) {
	p, err := t.linearizer.Linearize(ctx, dst, x, step)
	if err != nil {
		return nil, err
	}
	return timedPullback{p, t.calls}, nil
}

// LinearizeLimit implements [denoise.LinearizeLimiter].
func (t timedLinearizer) LinearizeLimit() int { return denoise.LinearizeLimit(t.linearizer) }

type timedPullback struct {
	denoise.Pullback
	calls *calls
}

// VJP implements [denoise.Pullback].
func (p timedPullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	return p.calls.product(func() error { return p.Pullback.VJP(ctx, dst, cotangent) })
}
