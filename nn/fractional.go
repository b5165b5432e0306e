package nn

import (
	"context"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// At implements [denoise.Fractional]: features of the timestep are those of the real number.
func (n *TemporalUNet) At(t float64) denoise.Denoiser { return atTime{n, t} }

// At implements [denoise.Fractional].
func (b *Bound) At(t float64) denoise.Denoiser { return atTime{b, t} }

// realTimed is a network that answers at real timesteps.
type realTimed interface {
	denoise.Linearizer
	denoise.LinearizeLimiter
	predictAt(ctx context.Context, dst, x tensor.Batch, t float64) error
	vjpAt(ctx context.Context, dst, x, cotangent tensor.Batch, t float64) error
	linearizeAt(ctx context.Context, dst, x tensor.Batch, t float64) (denoise.Pullback, error)
}

// atTime is a network at one timestep.
type atTime struct {
	realTimed
	t float64
}

// Predict implements [denoise.Denoiser].
func (m atTime) Predict(ctx context.Context, dst, x tensor.Batch, _ int) error {
	return m.predictAt(ctx, dst, x, m.t)
}

// VJP implements [denoise.VJPer].
func (m atTime) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, _ int) error {
	return m.vjpAt(ctx, dst, x, cotangent, m.t)
}

// Linearize implements [denoise.Linearizer].
func (m atTime) Linearize(ctx context.Context, dst, x tensor.Batch, _ int) (denoise.Pullback, error) {
	return m.linearizeAt(ctx, dst, x, m.t)
}

func (n *TemporalUNet) predictAt(ctx context.Context, dst, x tensor.Batch, t float64) error {
	return n.predict(ctx, dst, x, given{}, t)
}

func (n *TemporalUNet) vjpAt(ctx context.Context, dst, x, cotangent tensor.Batch, t float64) error {
	return n.vjp(ctx, dst, x, cotangent, given{}, nil, t)
}

func (n *TemporalUNet) linearizeAt(ctx context.Context, dst, x tensor.Batch, t float64) (denoise.Pullback, error) {
	return n.keep(ctx, dst, x, given{}, t)
}

func (b *Bound) predictAt(ctx context.Context, dst, x tensor.Batch, t float64) error {
	rows, err := b.rows(x)
	if err != nil {
		return err
	}
	return b.predict(ctx, dst, x, rows, t)
}

func (b *Bound) vjpAt(ctx context.Context, dst, x, cotangent tensor.Batch, t float64) error {
	rows, err := b.rows(x)
	if err != nil {
		return err
	}
	return b.vjp(ctx, dst, x, cotangent, rows, nil, t)
}

func (b *Bound) linearizeAt(ctx context.Context, dst, x tensor.Batch, t float64) (denoise.Pullback, error) {
	rows, err := b.rows(x)
	if err != nil {
		return nil, err
	}
	return b.keep(ctx, dst, x, rows, t)
}
