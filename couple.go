package pcd

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// couple sums what the couplings active at this step subtract from the means.
func (m *mover) couple(ctx context.Context) error {
	clear(m.own.guided)
	if m.accepted {
		return nil
	}
	for k, c := range m.couplings {
		if !c.acts(m.i) {
			continue
		}
		factor, _ := m.problem.Dynamics.Scale(c.Scale, m.i)
		m.openGuides(c)
		var err error
		if len(c.Transforms) == 0 && c.At != AtEstimate {
			err = m.costAt(c).Add(ctx, nil, m.all(m.w.guide, c), m.argumentsOf(c), c.Strength*factor)
		} else {
			err = m.addTransformed(ctx, c, c.Strength*factor)
		}
		m.own.lap(&m.own.seconds.Coupling)
		if err != nil {
			return m.fail(-1, &partError{"coupling", m.problem.couplingName(k), err})
		}
	}
	return nil
}

// openGuides clears the guides of a coupling's variables at their first use.
func (m *mover) openGuides(c coupling) {
	for _, v := range c.variables {
		if !m.own.guided[v] {
			clear(m.at(m.w.guide, v).Data)
			m.own.guided[v] = true
		}
	}
}

// all returns the chunk's rows of a coupling's variables.
func (m *mover) all(buffers []tensor.Batch, c coupling) []tensor.Batch {
	out := make([]tensor.Batch, len(c.variables))
	for k, v := range c.variables {
		out[k] = m.at(buffers, v)
	}
	return out
}

// argumentsOf returns the arguments of the cost: states, means or estimates.
func (m *mover) argumentsOf(c coupling) []tensor.Batch {
	out := make([]tensor.Batch, len(c.variables))
	for k, v := range c.variables {
		switch c.At {
		case AtMean:
			out[k] = m.at(m.w.mean, v)
		case AtEstimate:
			out[k] = m.estimate(v)
		default:
			out[k] = m.state(v)
		}
	}
	return out
}

// addTransformed adds a coupling whose gradient is pulled back or transformed
// before it is scaled.
func (m *mover) addTransformed(ctx context.Context, c coupling, weight float64) error {
	grads := m.all(m.w.grad, c)
	if c.At == AtEstimate {
		grads = m.all(m.w.cotangent, c)
	}
	for _, g := range grads {
		clear(g.Data)
	}
	if err := m.costAt(c).Add(ctx, nil, grads, m.argumentsOf(c), 1); err != nil {
		return err
	}
	for k, v := range c.variables {
		g := grads[k]
		if c.At == AtEstimate {
			pulled, err := m.pullBack(ctx, g, v)
			if err != nil {
				return err
			}
			g = pulled
		}
		for _, t := range c.Transforms {
			t.Apply(g)
		}
		guide := m.at(m.w.guide, v).Data
		for j, u := range g.Data {
			guide[j] += float32(weight * float64(u))
		}
	}
	return nil
}
