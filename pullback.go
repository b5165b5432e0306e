package pcd

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// maxLinearized returns how many tuples a chunk may have, because models keep their
// activations of all of them; 0 when none does.
func (r *run) maxLinearized() (limit int) {
	for v, k := range r.pullers {
		if k < 0 {
			continue
		}
		if n := denoise.LinearizeLimit(r.problem.Variables[v].Model); limit == 0 || n < limit {
			limit = n
		}
	}
	return limit
}

// newPullers returns for each variable the only coupling that is pulled back through
// its model, -1 where there is none or the model cannot keep what it computed. Where
// the whole batch is denoised before any of it is coupled, that would be too much.
func (r *run) newPullers() []int {
	pullers := make([]int, len(r.problem.Variables))
	for v, p := range r.problem.Variables {
		pullers[v] = -1
		if _, ok := p.Model.(denoise.Linearizer); ok && !r.wholeBatch() {
			pullers[v] = r.onlyPuller(v)
		}
	}
	return pullers
}

// onlyPuller returns the coupling that is pulled back to a variable, -1 unless there is
// exactly one.
func (r *run) onlyPuller(v int) int {
	only := -1
	for k, c := range r.couplings {
		if c.At != AtEstimate || !slices.Contains(c.variables, v) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = k
	}
	return only
}

// predict evaluates the model of a variable, and keeps what the coupling of this step
// needs to be pulled back.
func (m *mover) predict(ctx context.Context, dst, x tensor.Batch, v int) error {
	model, t := m.problem.Variables[v].Model, m.problem.Dynamics.Timestep(m.i)
	k := m.pullers[v]
	if k < 0 || !m.couplings[k].acts(m.i) {
		return model.Predict(ctx, dst, x, t)
	}
	var err error
	m.own.pullbacks[v], err = model.(denoise.Linearizer).Linearize(ctx, dst, x, t)
	return err
}

// product writes the product of the cotangents g with the Jacobian of a model to dst.
func (m *mover) product(ctx context.Context, dst, g tensor.Batch, model denoise.VJPer, v int) error {
	if p := m.own.pullbacks[v]; p != nil {
		m.own.pullbacks[v] = nil
		return p.VJP(ctx, dst, g)
	}
	return model.VJP(ctx, dst, m.state(v), g, m.problem.Dynamics.Timestep(m.i))
}

// estimate writes the clean-sample estimate of a variable: a x + b p, limited.
func (m *mover) estimate(v int) tensor.Batch {
	model := m.problem.Variables[v].Model
	if model == nil {
		return m.state(v)
	}
	dst := m.at(m.w.estimate, v)
	m.estimateFrom(dst, m.state(v), m.at(m.w.pred, v), model.Kind(), m.i)
	return dst
}

// estimateFrom writes the clean-sample estimate that follows from state and
// prediction at step i.
func (m *mover) estimateFrom(dst, x, p tensor.Batch, kind schedule.Kind, i int) {
	a, b, clip := m.problem.Dynamics.Estimate(kind, i)
	wx, wp := float32(a), float32(b)
	for j := range dst.Data {
		dst.Data[j] = wx*x.Data[j] + wp*p.Data[j]
	}
	if !(clip > 0) {
		return
	}
	lo, hi := float32(-clip), float32(clip)
	for j, e := range dst.Data {
		dst.Data[j] = min(max(e, lo), hi)
	}
}

// pullBack turns the gradient g at the estimate into one at the state,
// a g + b Jᵀ g; elements that the estimate clipped pass none.
func (m *mover) pullBack(ctx context.Context, g tensor.Batch, v int) (tensor.Batch, error) {
	model, ok := m.problem.Variables[v].Model.(denoise.VJPer)
	if !ok {
		return g, nil // a given variable does not move
	}
	a, b, clip := m.problem.Dynamics.Estimate(model.Kind(), m.i)
	if clip > 0 {
		m.dropClipped(g, v, float32(a), float32(b), float32(clip))
	}
	out := m.at(m.w.grad, v)
	m.own.lap(&m.own.seconds.Coupling)
	err := m.product(ctx, out, g, model, v)
	m.own.lap(&m.own.seconds.Model)
	if err != nil {
		return out, err
	}
	wx, wp := float32(a), float32(b)
	for j, u := range out.Data {
		out.Data[j] = wx*g.Data[j] + wp*u
	}
	return out, nil
}

// dropClipped removes the gradient of the elements whose estimate lies beyond the
// clip.
func (m *mover) dropClipped(g tensor.Batch, v int, a, b, clip float32) {
	x, p := m.state(v).Data, m.at(m.w.pred, v).Data
	for j := range g.Data {
		if e := a*x[j] + b*p[j]; e < -clip || e > clip {
			g.Data[j] = 0
		}
	}
}
