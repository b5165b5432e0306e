package pcd

import (
	"context"
	"errors"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// step moves every tuple once: corrections, means from the models, couplings, noise, projections
// and conditions, in this order. A chunk goes through it in one go, unless costs or
// the acceptance rule need the means of the whole batch first.
func (r *run) step(ctx context.Context, i int) error {
	if r.shared == nil {
		return r.forChunks(ctx, func(w *workspace, c chunk) error {
			m := r.mover(w, c, i)
			if err := m.denoise(ctx); err != nil {
				return err
			}
			return m.finish(ctx)
		})
	}
	if err := r.forChunks(ctx, func(w *workspace, c chunk) error { return r.mover(w, c, i).denoise(ctx) }); err != nil {
		return err
	}
	if err := r.together(ctx, i); err != nil {
		return err
	}
	return r.forChunks(ctx, func(w *workspace, c chunk) error { return r.mover(w, c, i).finish(ctx) })
}

// denoise lets the corrector move the states, and evaluates the models and the means of
// the step.
func (m *mover) denoise(ctx context.Context) error {
	if err := m.correct(ctx); err != nil {
		return err
	}
	for v, p := range m.problem.Variables {
		x, mean := m.state(v), m.at(m.w.mean, v)
		if p.Model == nil {
			mean.CopyFrom(x)
			continue
		}
		pred := m.at(m.w.pred, v)
		if err := m.predict(ctx, pred, x, v); err != nil {
			return m.fail(v, err)
		}
		m.own.lap(&m.own.seconds.Model)
		m.problem.Dynamics.Mean(mean.Data, x.Data, pred.Data, p.Model.Kind(), m.i)
		m.own.lap(&m.own.seconds.Other)
	}
	return nil
}

// finish goes from the means to the next states. A step that was accepted is not
// coupled.
func (m *mover) finish(ctx context.Context) error {
	if err := m.couple(ctx); err != nil {
		return err
	}
	for v := range m.problem.Variables {
		m.move(v)
	}
	m.own.lap(&m.own.seconds.Other)
	if err := m.constrain(ctx); err != nil {
		return err
	}
	for v, p := range m.problem.Variables {
		if err := m.after(v).CheckFinite(); err != nil && p.Model != nil {
			return m.fail(v, err)
		}
	}
	m.own.lap(&m.own.seconds.Other)
	return nil
}

// move writes mean - guidance + noise to the next state; given variables stay.
func (m *mover) move(v int) {
	if m.problem.Variables[v].Model == nil {
		m.after(v).CopyFrom(m.state(v))
		return
	}
	mean := m.at(m.w.mean, v)
	if m.own.guided[v] {
		for j, g := range m.at(m.w.guide, v).Data {
			mean.Data[j] -= g
		}
	}
	if m.problem.ConditionMean {
		m.problem.Variables[v].condition(mean, m.i)
	}
	m.addNoise(m.after(v), mean.Data, v)
}

// addNoise writes mean + noise to next.
func (m *mover) addNoise(next tensor.Batch, mean []float32, v int) {
	std := float32(m.problem.Dynamics.Std(m.i))
	if std == 0 {
		copy(next.Data, mean)
		return
	}
	z := m.at(m.w.noise, v).Data
	m.noise.Normal(z, next.Size(), noise.Address{Variable: v, Sample: next.First, Draw: 1 + m.done})
	for j := range next.Data {
		next.Data[j] = mean[j] + std*z[j]
	}
}

// fail says at which step and for which variable something failed; -1 is none.
func (m *mover) fail(v int, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &StepError{Step: m.i, Err: err}
	if v >= 0 {
		e.Variable = m.problem.variableName(v)
	}
	return e
}
