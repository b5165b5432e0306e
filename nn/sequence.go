package nn

import (
	"context"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// sequences is what the networks of sequences share.
type sequences struct {
	engine
	model
}

// from makes the model of a network of sequences, which predicts the noise.
func (n *sequences) from(shape tensor.Shape) {
	n.model = model{net: &n.engine, shape: shape, kind: schedule.Epsilon}
}

// MultiplyAdds returns how many multiplications with a weight a prediction for one
// sample is by the definition of a convolution: the published count, which includes
// the zeros around sequences, and the number without most of those. Minimal filtering
// (kernel.Filter) does with fewer.
func (n *sequences) MultiplyAdds() (nominal, useful int) { return n.multiplyAdds(extent{}) }

// NewTraining returns memory for training steps of up to batch samples and gives
// the parameters their gradients.
func (n *sequences) NewTraining(batch int) *Training { return n.model.newTraining(batch) }

// Predict implements [denoise.Denoiser]. It panics when dst and x do not have the
// shape of the network.
func (n *TemporalUNet) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	return n.predictAt(ctx, dst, x, float64(t))
}

// VJP implements [denoise.VJPer].
func (n *TemporalUNet) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	return n.vjpAt(ctx, dst, x, cotangent, float64(t))
}
