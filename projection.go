package pcd

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// projectEstimates projects the estimates of the clean samples, as couplings guided them,
// where the cadence says so. The step is taken with the predictions that would have led to the
// projected ones: the state after it keeps the noise of its level. What steps keep for later
// ones is projected with them.
//
// It is one rule for every sampler whose mean is linear in the prediction. Where the last step
// ends in the estimate, the sample is in the set but for rounding.
func (s *step) projectEstimates(ctx context.Context) error {
	if s.problem.Cadence.At != AtEstimate || s.verdict == Untouched || !s.problem.Cadence.projects(s.i) {
		return nil
	}
	for k := range s.vars {
		v := &s.vars[k]
		if v.Model == nil {
			v.estimate.CopyFrom(v.x)
			continue
		}
		v.writeGuidedEstimate()
		v.gradient.CopyFrom(v.estimate)
		v.condition(v.estimate, s.i)
	}
	in := func(w Window) bool { return w.Contains(s.i) }
	if err := s.projectOwn(ctx, estimateOf, in); err != nil {
		return err
	}
	if err := s.projectTogether(ctx, estimateOf, in); err != nil {
		return err
	}
	for k := range s.vars {
		s.vars[k].moveToEstimate()
	}
	return nil
}

// projectOwn maps something of every variable to its own set, where in says so.
func (s *step) projectOwn(ctx context.Context, of func(*variable) tensor.Batch, in func(Window) bool) error {
	for k := range s.vars {
		v := &s.vars[k]
		if v.Model == nil || v.Project == nil || !in(v.ProjectAt) {
			continue
		}
		x := of(v)
		err := s.projectWith(&s.reports[k], func() (project.Report, error) {
			if memory := s.memory[k]; memory != nil {
				size := len(memory) / s.opts.Samples
				return v.Project.(project.WarmStarter).ProjectFrom(ctx, x, x, memory[s.lo*size:s.hi*size])
			}
			return v.Project.Project(ctx, x, x)
		})
		if err != nil {
			return s.fail(k, s.diverged(k, err))
		}
	}
	return nil
}

// projectTogether maps something of the variables to the sets of several.
func (s *step) projectTogether(ctx context.Context, of func(*variable) tensor.Batch, in func(Window) bool) error {
	for k, c := range s.problem.Constraints {
		if !in(c.Window) {
			continue
		}
		x := s.of(c.Variables, of)
		err := s.projectWith(&s.joint[k], func() (project.Report, error) { return c.Project.Project(ctx, x, x) })
		if err != nil {
			return s.fail(-1, &partError{"constraint", s.problem.constraintName(k), err})
		}
	}
	return nil
}

// projectWith times a projection and merges its report into one.
func (s *step) projectWith(into *project.Report, f func() (project.Report, error)) error {
	return s.during(&s.spent.Projection, func() error {
		report, err := f()
		*into = into.Merge(report)
		return err
	})
}

// writeGuidedEstimate writes the estimate of the clean sample that belongs to the prediction
// that would have led to the mean that couplings moved.
func (v *variable) writeGuidedEstimate() {
	v.transition.WriteEstimate(v.estimate.Data, v.x.Data, v.prediction.Data)
	rate := v.transition.estimateRate()
	if !v.guided || rate == 0 {
		return
	}
	for j, g := range v.guidance.Data {
		v.estimate.Data[j] -= g / float32(rate)
	}
}

// moveToEstimate adds to the guidance what moves the estimate from where it was, in gradient,
// to where it is.
func (v *variable) moveToEstimate() {
	if v.Model == nil {
		return
	}
	if !v.guided {
		clear(v.guidance.Data)
		v.guided = true
	}
	rate := float32(v.transition.estimateRate())
	for j, e := range v.estimate.Data {
		v.guidance.Data[j] -= rate * (e - v.gradient.Data[j])
	}
}

// estimateRate returns how far the mean moves where the prediction moves so that the estimate
// of the clean sample moves by 1; 0 where the mean does not see it.
func (t Transition) estimateRate() float64 {
	if t.Estimate.Prediction == 0 {
		return 0
	}
	return (t.Mean.Estimate*t.Estimate.Prediction + t.Mean.Prediction) / t.Estimate.Prediction
}

// cadence reports a placement of projections that the dynamics do not have.
func (v *validation) cadence() {
	c := v.problem.Cadence
	for _, i := range c.Steps {
		if i < 0 || i >= v.steps {
			v.report(fmt.Errorf("cadence projects at step %d, want steps from %d to 0, as they are counted", i, v.steps-1))
			break
		}
	}
	switch {
	case c.At == AtState:
	case c.At != AtEstimate:
		v.report(errors.New("cadence projects at the " + c.At.String() + ", want state or estimate"))
	case v.problem.Dynamics != nil && v.problem.Dynamics.Check(schedule.Score) == nil && v.problem.Dynamics.Steps() > 0:
		if v.problem.Dynamics.Transition(0, schedule.Score).Estimate.Prediction == 0 {
			v.report(errors.New("cadence projects at the estimate of the clean sample, which the dynamics do not have: give LMC a Sigma"))
		}
	}
}
