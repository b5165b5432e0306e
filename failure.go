package pcd

import (
	"context"
	"errors"
	"slices"
)

// fail says at which step and for which variable something failed; -1 is none.
func (s *step) fail(v int, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := &StepError{Step: s.i, Err: err}
	if v >= 0 {
		e.Variable = s.problem.variableName(v)
	}
	return e
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
