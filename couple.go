package pcd

import (
	"context"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// couple sums what the couplings that act at this step subtract from the means.
func (s *step) couple(ctx context.Context) error {
	if s.verdict != Guided {
		return nil
	}
	for k, c := range s.couplings {
		if !c.acts(s.i) {
			continue
		}
		if err := s.during(&s.spent.Coupling, func() error { return s.add(ctx, c) }); err != nil {
			return s.fail(-1, &partError{"coupling", s.problem.couplingName(k), err})
		}
	}
	return nil
}

// add adds a coupling to the guidance of its variables. Where the gradient is used as it
// is, it is summed where it is computed.
func (s *step) add(ctx context.Context, c coupling) error {
	for _, k := range c.variables {
		v := &s.vars[k]
		if !v.guided {
			clear(v.guidance.Data)
			v.guided = true
		}
		if c.At == AtEstimate && v.Model != nil {
			v.transition.WriteEstimate(v.estimate.Data, v.x.Data, v.prediction.Data)
		}
	}
	weight := c.Strength * s.vars[c.variables[0]].transition.scale(c.Scale)
	at := s.of(c.variables, func(v *variable) tensor.Batch { return v.place(c.At) })
	f := cost.At(c.Cost, s.timestep())
	if len(c.Transforms) == 0 && c.At != AtEstimate {
		return f.Add(ctx, nil, s.of(c.variables, func(v *variable) tensor.Batch { return v.guidance }), at, weight)
	}
	gradients := s.of(c.variables, func(v *variable) tensor.Batch { clear(v.gradient.Data); return v.gradient })
	if err := f.Add(ctx, nil, gradients, at, 1); err != nil {
		return err
	}
	if c.At == AtEstimate {
		if err := s.pullBack(ctx, c.variables, gradients); err != nil {
			return err
		}
	}
	for j, k := range c.variables {
		g := gradients[j]
		for _, t := range c.Transforms {
			t.Apply(g)
		}
		guidance := s.vars[k].guidance.Data
		for j, u := range g.Data {
			guidance[j] += float32(weight * float64(u))
		}
	}
	return nil
}

// pullBack turns gradients at the estimates of variables into those at their states.
func (s *step) pullBack(ctx context.Context, variables []int, gradients []tensor.Batch) error {
	return s.during(&s.spent.Model, func() error {
		return s.forVariables(ctx, len(variables), func(j int) (err error) {
			gradients[j], err = s.atState(ctx, &s.vars[variables[j]])
			return err
		})
	})
}

// atState turns the gradient g at the estimate of a variable into one at its state,
// a g + b Jᵀ g; elements that the estimate clipped pass none. A given variable does not
// move.
func (s *step) atState(ctx context.Context, v *variable) (tensor.Batch, error) {
	if v.Model == nil {
		return v.gradient, nil
	}
	at, err := v.model()
	model, ok := at.(denoise.VJPer)
	if err != nil || !ok {
		return v.gradient, err
	}
	e := v.transition.Estimate
	a, b, clip := float32(e.State), float32(e.Prediction), float32(e.Clip)
	g := v.gradient.Data
	for j := range g {
		if !(clip > 0) {
			break
		}
		if e := a*v.x.Data[j] + b*v.prediction.Data[j]; e < -clip || e > clip {
			g[j] = 0
		}
	}
	err = s.product(ctx, v, model)
	for j, u := range v.pulled.Data {
		v.pulled.Data[j] = a*g[j] + b*u
	}
	return v.pulled, err
}

// product writes the product of the gradient with the Jacobian of the model to pulled.
func (s *step) product(ctx context.Context, v *variable, model denoise.VJPer) error {
	if p := v.pullback; p != nil {
		v.pullback = nil
		return p.VJP(ctx, v.pulled, v.gradient)
	}
	return s.inBlocks(ctx, func(lo, hi int) error {
		return model.VJP(ctx, v.pulled.Rows(lo, hi), v.x.Rows(lo, hi), v.gradient.Rows(lo, hi), v.transition.Timestep)
	})
}
