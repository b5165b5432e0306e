package push

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// calls is what the models of one call of the policy share: nanoseconds in predictions and in
// vector-Jacobian products, of all goroutines together.
type calls struct{ predictions, products atomic.Int64 }

// productShare is the part of the time of the models that products take.
func (c *calls) productShare() float64 {
	products := float64(c.products.Load())
	if products == 0 {
		return 0
	}
	return products / (products + float64(c.predictions.Load()))
}

// timed counts the time of predictions and of vector-Jacobian products.
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

// counted adds the time of f to what is spent.
func counted(spent *atomic.Int64, f func() error) error {
	start := time.Now()
	err := f()
	spent.Add(int64(time.Since(start)))
	return err
}

// Predict implements [denoise.Denoiser].
func (t timed) Predict(ctx context.Context, dst, x tensor.Batch, step int) error {
	return counted(&t.calls.predictions, func() error { return t.VJPer.Predict(ctx, dst, x, step) })
}

// VJP implements [denoise.VJPer].
func (t timed) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, step int) error {
	return counted(&t.calls.products, func() error { return t.VJPer.VJP(ctx, dst, x, cotangent, step) })
}

// Linearize implements [denoise.Linearizer].
func (t timedLinearizer) Linearize(ctx context.Context, dst, x tensor.Batch, step int) (denoise.Pullback, error) {
	var p denoise.Pullback
	err := counted(&t.calls.predictions, func() (err error) {
		p, err = t.linearizer.Linearize(ctx, dst, x, step)
		return err
	})
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
	return counted(&p.calls.products, func() error { return p.Pullback.VJP(ctx, dst, cotangent) })
}
