package pcd

import (
	"context"
	"errors"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// interrupted reports whether an error is that of the context of the run. A part of the
// problem may have had one of its own, whose end is a failure.
func (r *run) interrupted(err error) bool {
	return r.ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// fail says at which step and for which variable something failed; -1 is none.
func (s *step) fail(v int, err error) error {
	if err == nil || s.interrupted(err) {
		return err
	}
	e := &StepError{Step: s.i, Err: err}
	if v >= 0 {
		e.Variable = s.problem.variableName(v)
	}
	return e
}

// diverged makes of a state of variable k that is not finite an error that says what made it so.
func (s *step) diverged(k int, err error) error {
	var e *tensor.NonFiniteError
	if !errors.As(err, &e) {
		return err
	}
	v := &s.vars[k]
	return &divergedError{Err: err, Model: v.prediction.CheckFinite(), Couplings: s.forces(k)}
}

// forces returns how strongly couplings act on variable k at this step.
func (s *step) forces(k int) (forces []couplingForce) {
	for i, c := range s.couplings {
		if !c.acts(s.i) || !slices.Contains(c.variables, k) {
			continue
		}
		t := s.vars[c.variables[0]].transition
		f := couplingForce{Coupling: s.problem.couplingName(i), Strength: c.Strength, Scale: c.Scale, Factor: t.scale(c.Scale)}
		for _, other := range []Scale{ByStepSize, ByNoiseRate} {
			if factor := t.scale(other); factor > 0 && factor < f.Factor {
				f.Offers = append(f.Offers, scaleFactor{other, factor})
			}
		}
		forces = append(forces, f)
	}
	return forces
}
