package nn

import (
	"context"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// model is a network at one size of samples, seen as a function of a noisy sample, a
// timestep and a condition, if it has one. Its predictions have the shape of samples.
type model struct {
	net   *engine
	shape tensor.Shape
	kind  schedule.Kind
	size  extent
}

// Shape returns the shape of a sample.
func (m *model) Shape() tensor.Shape { return m.shape }

// Kind says what the network predicts.
func (m *model) Kind() schedule.Kind { return m.kind }

// bind returns the arrays of a call that takes samples x.
func (m *model) bind(x tensor.Batch, c given) bindings {
	b := bindings{samples: x.N, size: m.size}
	b.in[0], b.in[1], b.in[2] = x.Data, c[0], c[1]
	return b
}

// predict runs a prediction.
func (m *model) predict(ctx context.Context, dst, x tensor.Batch, c given, t float64) error {
	mustFit(x.N, m.shape, x, dst)
	b := m.bind(x, c)
	b.out[0] = dst.Data
	return m.net.run(ctx, predicting, t, b)
}

// vjp runs a product with the Jacobian, with that of the condition if dCondition is
// there.
func (m *model) vjp(ctx context.Context, dst, x, cotangent tensor.Batch, c given, dCondition []float32, t float64) error {
	mustFit(x.N, m.shape, x, cotangent, dst)
	b := m.bind(x, c)
	b.dOut[0], b.dIn[0], b.dIn[1] = cotangent.Data, dst.Data, dCondition
	p := differentiating
	if dCondition != nil {
		p = conditioning
	}
	return m.net.run(ctx, p, t, b)
}

// keep runs a prediction whose forward pass is kept.
func (m *model) keep(ctx context.Context, dst, x tensor.Batch, c given, t float64) (denoise.Pullback, error) {
	mustFit(x.N, m.shape, x, dst)
	b := m.bind(x, c)
	b.out[0] = dst.Data
	return m.net.linearize(ctx, t, b, m.shape, m.shape)
}

func (m *model) newTraining(batch int) *Training {
	return m.net.newTraining(batch, m.size, m.shape, m.shape)
}
