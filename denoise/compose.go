package denoise

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Compose returns the model of the product Π p_i^{w_i}: energies add, so scores
// (or noises, at equal noise level) add with the weights. Weights that are
// negative take an energy away. All models have one shape and all predict the
// score or all the noise. The result is a [VJPer] when every model is, and a
// [Linearizer] when every model is.
//
// Source: Liu et al., "Compositional visual generation with composable diffusion
// models" (ECCV 2022); Du et al. (ICML 2023).
func Compose(models []Denoiser, weights []float64) (Denoiser, error) {
	if len(models) == 0 || len(models) != len(weights) {
		return nil, fmt.Errorf("denoise: compose: %d models and %d weights, want as many, at least one", len(models), len(weights))
	}
	if i := slices.Index(models, nil); i >= 0 {
		return nil, fmt.Errorf("denoise: compose: model %d is missing", i)
	}
	if kind := models[0].Kind(); kind != schedule.Score && kind != schedule.Epsilon {
		return nil, fmt.Errorf("denoise: compose: model 0 predicts %v; only scores and noises of models add (see Convert)", kind)
	}
	return compose("compose", models, weights)
}

// compose returns the weighted sum of predictions of one kind.
func compose(what string, models []Denoiser, weights []float64) (Denoiser, error) {
	differentiable, linearizable := true, true
	for i, m := range models {
		if m.Kind() != models[0].Kind() {
			return nil, fmt.Errorf("denoise: %s: model %d predicts %v and model 0 %v", what, i, m.Kind(), models[0].Kind())
		}
		if !m.Shape().Equal(models[0].Shape()) {
			return nil, fmt.Errorf("denoise: %s: model %d has shape %v and model 0 %v", what, i, m.Shape(), models[0].Shape())
		}
		if weights[i]-weights[i] != 0 {
			return nil, fmt.Errorf("denoise: %s: weight %d is %v, want a finite number", what, i, weights[i])
		}
		_, ok := m.(VJPer)
		differentiable = differentiable && ok
		_, ok = m.(Linearizer)
		linearizable = linearizable && ok
	}
	c := composition{models: models, weights: weights}
	switch {
	case linearizable:
		return linearizedComposition{differentiableComposition{c}}, nil
	case differentiable:
		return differentiableComposition{c}, nil
	}
	return c, nil
}

type composition struct {
	models  []Denoiser
	weights []float64
}

func (c composition) Shape() tensor.Shape { return c.models[0].Shape() }

func (c composition) Kind() schedule.Kind { return c.models[0].Kind() }

func (c composition) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	return c.sum(dst, func(i int, out tensor.Batch) error { return c.models[i].Predict(ctx, out, x, t) })
}

// sum adds the weighted results of the models.
func (c composition) sum(dst tensor.Batch, eval func(i int, out tensor.Batch) error) error {
	out := tensor.New(dst.N, dst.Shape...)
	out.First = dst.First
	clear(dst.Data)
	for i, w := range c.weights {
		if err := eval(i, out); err != nil {
			return err
		}
		for j, v := range out.Data {
			dst.Data[j] += float32(w) * v
		}
	}
	return nil
}

type differentiableComposition struct{ composition }

func (c differentiableComposition) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	return c.sum(dst, func(i int, out tensor.Batch) error {
		return c.models[i].(VJPer).VJP(ctx, out, x, cotangent, t)
	})
}

type linearizedComposition struct{ differentiableComposition }

// Linearize implements [Linearizer].
func (c linearizedComposition) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (Pullback, error) {
	p := composedPullback{composition: c.composition}
	err := c.sum(dst, func(i int, out tensor.Batch) error {
		inner, err := c.models[i].(Linearizer).Linearize(ctx, out, x, t)
		if err == nil {
			p.pullbacks = append(p.pullbacks, inner)
		}
		return err
	})
	if err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

// LinearizeLimit implements [LinearizeLimiter]: all models keep what they need at once.
func (c linearizedComposition) LinearizeLimit() int {
	share := 0.0
	for _, m := range c.models {
		share += 1 / float64(LinearizeLimit(m))
	}
	return max(1, int(1/share))
}

type composedPullback struct {
	composition
	pullbacks []Pullback
}

// VJP implements [Pullback].
func (p composedPullback) VJP(ctx context.Context, dst, cotangent tensor.Batch) error {
	defer p.Release() // where a model fails, those after it still hold their memory
	return p.sum(dst, func(i int, out tensor.Batch) error { return p.pullbacks[i].VJP(ctx, out, cotangent) })
}

// Release implements [Pullback].
func (p composedPullback) Release() {
	for _, inner := range p.pullbacks {
		inner.Release()
	}
}

// ErrNotDifferentiable is returned where a model without a vector-Jacobian
// product meets a method that needs one.
var ErrNotDifferentiable = errors.New("denoise: the model has no vector-Jacobian product")
