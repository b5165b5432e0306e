package pcd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/cost"
)

// Acceptance is a rule by which a step is taken as the models alone make it, since
// nothing is left to guide: the cost of the clean-sample estimates after the
// uncoupled step lies below a bound for every tuple of the batch. A run with it
// is not independent of the batch size.
//
// Source: the early acceptance of the manipulation reference code.
type Acceptance struct {
	Cost cost.Cost
	// Variables are the arguments of the cost, by position in the problem; nil is
	// all of them in order.
	Variables []int
	Below     float64
	// Window says at which steps the rule is asked. It never is at step 0, after
	// which nothing is left to estimate.
	Window Window
	// Unprojected also leaves an accepted step without projections and conditions.
	Unprojected bool
}

// asked reports whether the rule is asked at step i.
func (a *Acceptance) asked(i int) bool { return a != nil && i > 0 && a.Window.Contains(i) }

// judge decides whether step i is taken as the models make it.
func (r *run) judge(ctx context.Context, i int) error {
	r.accepted = false
	rule := r.problem.Accept
	if !rule.asked(i) {
		return nil
	}
	err := r.forChunks(ctx, func(w *workspace, c chunk) error {
		m := r.mover(w, c, i)
		return m.fail(-1, m.value(ctx, rule, r.values[c.lo:c.hi]))
	})
	if err != nil {
		return err
	}
	r.accepted = true
	for _, v := range r.values {
		r.accepted = r.accepted && v < rule.Below
	}
	if r.accepted {
		r.acceptances++
	}
	return nil
}

// value writes the costs of the estimates after the uncoupled step to dst. The
// next states hold that step meanwhile.
func (m *mover) value(ctx context.Context, rule *Acceptance, dst []float64) error {
	c := coupling{variables: m.problem.arguments(rule.Variables)}
	for _, v := range c.variables {
		next := m.next[v].Rows(m.lo, m.hi)
		model := m.problem.Variables[v].Model
		if model == nil {
			m.at(m.w.estimate, v).CopyFrom(m.state(v))
			continue
		}
		m.addNoise(next, m.at(m.w.mean, v).Data, v)
		m.own.lap(&m.own.seconds.Other)
		pred := m.at(m.w.cotangent, v)
		if err := model.Predict(ctx, pred, next, m.problem.Dynamics.Timestep(m.i-1)); err != nil {
			return &partError{"acceptance", m.problem.variableName(v), err}
		}
		m.own.lap(&m.own.seconds.Model)
		m.estimateFrom(m.at(m.w.estimate, v), next, pred, model.Kind(), m.i-1)
	}
	clear(dst)
	err := cost.At(rule.Cost, m.problem.Dynamics.Timestep(m.i-1)).Add(ctx, dst, nil, m.all(m.w.estimate, c), 1)
	m.own.lap(&m.own.seconds.Coupling)
	if err != nil {
		return &partError{"acceptance", "cost", err}
	}
	return nil
}

// acceptance checks the rule of a problem.
func (v *validation) acceptance(a *Acceptance) {
	const name = "acceptance"
	switch {
	case a == nil:
		return
	case a.Cost == nil:
		v.reportf(errors.New("it has no cost"), name)
		return
	case math.IsNaN(a.Below):
		v.reportf(fmt.Errorf("the bound of the cost is %v, want a number", a.Below), name)
	}
	shapes, err := v.shapes(a.Variables)
	if err == nil {
		err = a.Cost.Check(shapes)
	}
	v.reportf(err, name)
}
