package denoise

import (
	"context"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Denoiser is a pretrained diffusion model, seen as a function of a noisy state.
//
// Laws, checked by package lawtest: rows are independent of each other;
// equal inputs give equal outputs, bit for bit, also when the rows come in
// another batch; x is not written; finite states give finite predictions; calls
// may run concurrently with different dst.
type Denoiser interface {
	// Predict writes the prediction for every row of x at training timestep t to
	// dst, which has the shape of x and does not overlap it. A model with a
	// condition per sample finds it by the sample number x.First+row.
	Predict(ctx context.Context, dst, x tensor.Batch, t int) error
	// Shape returns the shape of one sample.
	Shape() tensor.Shape
	// Kind says what Predict returns.
	Kind() schedule.Kind
}

// VJPer is a [Denoiser] that can be differentiated; posterior sampling needs it.
//
// Laws, checked by package lawtest: the product equals central differences
// and is linear in the cotangent.
type VJPer interface {
	Denoiser
	// VJP writes the product of each row's cotangent with the Jacobian of the
	// prediction at that row: dst = (d Predict(x, t) / d x)ᵀ cotangent. dst
	// overlaps neither x nor cotangent.
	VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error
}
