package denoise

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Convert returns m as a model that predicts another kind, by the algebra of its
// schedule. The result is a [VJPer] when m is, and a [Linearizer] when m is.
func Convert(m Denoiser, to schedule.Kind, s *schedule.Schedule) (Denoiser, error) {
	if m == nil {
		return nil, fmt.Errorf("denoise: convert: the model is missing")
	}
	if m.Kind() == to {
		return m, nil
	}
	if !to.Valid() {
		return nil, fmt.Errorf("denoise: convert: unknown kind %v", to)
	}
	if s == nil {
		return nil, fmt.Errorf("denoise: convert: %v to %v needs the schedule of the model", m.Kind(), to)
	}
	c := converted{model: m, kind: to, schedule: s}
	v, ok := m.(VJPer)
	if !ok {
		return c, nil
	}
	d := differentiableConverted{c, v}
	if l, ok := m.(Linearizer); ok {
		return linearizedConverted{d, l}, nil
	}
	return d, nil
}

type converted struct {
	model    Denoiser
	kind     schedule.Kind
	schedule *schedule.Schedule
}

func (c converted) Shape() tensor.Shape { return c.model.Shape() }

func (c converted) Kind() schedule.Kind { return c.kind }

func (c converted) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	if err := c.model.Predict(ctx, dst, x, t); err != nil {
		return err
	}
	return c.combine(dst, x, t)
}

// combine writes a v + b dst to dst, the conversion of dst given v.
func (c converted) combine(dst, v tensor.Batch, t int) error {
	step, err := c.schedule.ForTimestep(t)
	if err != nil {
		return err
	}
	wide, narrow := step.Coefficients(c.model.Kind(), c.kind)
	a, b := float32(wide), float32(narrow)
	for i, p := range dst.Data {
		dst.Data[i] = a*v.Data[i] + b*p
	}
	return nil
}

type differentiableConverted struct {
	converted
	inner VJPer
}

// VJP uses that the conversion a x + b p has the transposed Jacobian a + b Jᵀ.
func (c differentiableConverted) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	if err := c.inner.VJP(ctx, dst, x, cotangent, t); err != nil {
		return err
	}
	return c.combine(dst, cotangent, t)
}

type linearizedConverted struct {
	differentiableConverted
	inner Linearizer
}

// Linearize implements [Linearizer].
func (c linearizedConverted) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (Pullback, error) {
	p, err := c.inner.Linearize(ctx, dst, x, t)
	if err != nil {
		return nil, err
	}
	if err := c.combine(dst, x, t); err != nil {
		p.Release()
		return nil, err
	}
	return convertedPullback{p, c.converted, t}, nil
}

// LinearizeLimit implements [LinearizeLimiter].
func (c linearizedConverted) LinearizeLimit() int { return LinearizeLimit(c.inner) }

type convertedPullback struct {
	Pullback
	converted
	t int
}

// VJP implements [Pullback].
func (p convertedPullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	if err := p.Pullback.VJP(ctx, dst, cotangent); err != nil {
		return err
	}
	return p.combine(dst, cotangent, p.t)
}
