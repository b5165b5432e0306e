package denoise

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// Linearizer is a [VJPer] that can keep what a prediction computed, so that the
// product with its Jacobian does not compute it again. Posterior sampling needs both at
// the same state, and takes about two thirds of the time with it.
//
// Laws, checked by package lawtest: the prediction is that of Predict and the
// product that of VJP, bit for bit.
type Linearizer interface {
	VJPer
	// Linearize is Predict that also returns the pullback at x. What it keeps grows
	// with the number of rows.
	Linearize(ctx context.Context, dst, x tensor.Batch, t int) (Pullback, error)
}

// LinearizeLimiter is implemented by a [Linearizer] that knows how much it keeps.
type LinearizeLimiter interface {
	Linearizer
	// LinearizeLimit returns how many samples to linearize at a time, at least 1: a
	// caller with more takes them in parts, and gets the same bits.
	LinearizeLimit() int
}

// usualLimit is the limit of a model that does not say: its activations are taken to be
// those of a policy for the plane, a quarter of a megabyte per sample.
const usualLimit = 96

// LinearizeLimit returns how many samples to linearize at a time.
func LinearizeLimit(m Denoiser) int {
	if l, ok := m.(LinearizeLimiter); ok {
		return max(1, l.LinearizeLimit())
	}
	return usualLimit
}

// Pullback maps cotangents of a prediction to its state.
type Pullback interface {
	// VJP writes the product of each row's cotangent with the Jacobian to dst, like
	// that of [VJPer]. It may be called once, and releases the pullback.
	VJP(ctx context.Context, dst, cotangent tensor.Batch) error
	// Release gives the memory back for the next call. After a use or a release it does
	// nothing.
	Release()
}
