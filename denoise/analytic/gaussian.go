package analytic

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Gaussian is the exact model of data whose elements are independent normals. It
// predicts the score: of the data itself when it has no schedule, which is what
// Langevin dynamics wants, else of the diffused marginal
// N(√ᾱ μ, ᾱ σ² + 1 - ᾱ).
type Gaussian struct {
	shape    tensor.Shape
	mean     []float64
	variance []float64
	schedule *schedule.Schedule
}

// NewGaussian returns the model of N(mean, diag(variance)). mean and variance
// have one number per element of the shape, or one for all. s may be nil.
func NewGaussian(shape tensor.Shape, mean, variance []float64, s *schedule.Schedule) (*Gaussian, error) {
	if err := shape.Check(); err != nil {
		return nil, err
	}
	m, err := perElement("mean", mean, shape)
	if err != nil {
		return nil, err
	}
	v, err := perElement("variance", variance, shape)
	if err != nil {
		return nil, err
	}
	for i, x := range v {
		if !(x > 0) {
			return nil, fmt.Errorf("analytic: variance of element %d is %v, want a positive number", i, x)
		}
	}
	return &Gaussian{shape: shape, mean: m, variance: v, schedule: s}, nil
}

// perElement expands one number to all elements and refuses other lengths and
// numbers that are not finite.
func perElement(what string, v []float64, shape tensor.Shape) ([]float64, error) {
	n := shape.Size()
	if len(v) != n && len(v) != 1 {
		return nil, fmt.Errorf("analytic: %s has %d numbers, want 1 or %d for shape %v", what, len(v), n, shape)
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = v[i%len(v)]
		if out[i]-out[i] != 0 {
			return nil, fmt.Errorf("analytic: %s of element %d is %v, want a finite number", what, i, out[i])
		}
	}
	return out, nil
}

// Shape returns the shape of a sample.
func (g *Gaussian) Shape() tensor.Shape { return g.shape }

// Kind returns [Score].
func (g *Gaussian) Kind() schedule.Kind { return schedule.Score }

// Predict writes (√ᾱ μ - x)/(ᾱ σ² + 1 - ᾱ).
func (g *Gaussian) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	step, err := marginal(ctx, g.schedule, t)
	if err != nil {
		return err
	}
	if len(g.mean) == 1 {
		mean, precision := g.element(step, 0)
		for i, v := range x.Data {
			dst.Data[i] = (mean - v) * precision
		}
		return nil
	}
	for j := range g.mean {
		mean, precision := g.element(step, j)
		for i := j; i < len(x.Data); i += len(g.mean) {
			dst.Data[i] = (mean - x.Data[i]) * precision
		}
	}
	return nil
}

// VJP writes -cotangent/(ᾱ σ² + 1 - ᾱ): the Jacobian is diagonal.
func (g *Gaussian) VJP(ctx context.Context, dst, _, cotangent tensor.Batch, t int) error {
	step, err := marginal(ctx, g.schedule, t)
	if err != nil {
		return err
	}
	for j := range g.mean {
		_, precision := g.element(step, j)
		for i := j; i < len(dst.Data); i += len(g.mean) {
			dst.Data[i] = -cotangent.Data[i] * precision
		}
	}
	return nil
}

// element returns mean and inverse variance of element j at a step.
func (g *Gaussian) element(s schedule.Step, j int) (mean, precision float32) {
	return float32(s.SqrtAlphaBar * g.mean[j]), float32(1 / (s.AlphaBar*g.variance[j] + 1 - s.AlphaBar))
}

// clean is the step before any noise, at which models without a schedule live.
var clean = schedule.Step{AlphaBar: 1, SqrtAlphaBar: 1, InvSqrtAlphaBar: 1}

// marginal returns the step of timestep t and the error of a cancelled context.
func marginal(ctx context.Context, s *schedule.Schedule, t int) (schedule.Step, error) {
	if err := ctx.Err(); err != nil {
		return schedule.Step{}, err
	}
	if s == nil {
		return clean, nil
	}
	return s.ForTimestep(t)
}
