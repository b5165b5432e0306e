package pcd

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Validate returns a [ProblemError] with everything that keeps the problem from
// being sampled with these options, or nil. [Sample] calls it first.
func (p Problem) Validate(opts Options) error {
	v := validation{problem: p, first: opts.First, n: opts.Samples, steps: math.MaxInt}
	if p.Dynamics != nil && p.Dynamics.Steps() > 0 {
		v.steps = p.Dynamics.Steps()
	}
	v.options(opts)
	if len(p.Variables) == 0 {
		v.report(errors.New("there are no variables"))
	}
	if p.Dynamics == nil {
		v.report(errors.New("there are no dynamics"))
	}
	if p.Cadence.Every < 0 {
		v.report(fmt.Errorf("cadence projects every %d steps, want 0 (as 1) or more", p.Cadence.Every))
	}
	v.cadence()
	for i := range p.Variables {
		v.variable(i)
	}
	for i := range p.Couplings {
		v.coupling(i)
	}
	for i := range p.Constraints {
		v.constraint(i)
	}
	if len(v.issues) > 0 {
		return &ProblemError{Issues: v.issues}
	}
	return nil
}

// mostNumbers is what a program could address: whoever asks for more has mistyped.
const mostNumbers = 1 << 44

type validation struct {
	problem  Problem
	first, n int
	steps    int // of the dynamics
	issues   []error
}

func (v *validation) report(err error) { v.issues = append(v.issues, err) }

// reportf adds err with its place, unless it is nil.
func (v *validation) reportf(err error, format string, args ...any) {
	if err != nil {
		v.report(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
	}
}

func (v *validation) options(o Options) {
	if o.Samples < 1 {
		v.report(fmt.Errorf("%d samples asked for, want at least 1", o.Samples))
	}
	if o.First < 0 {
		v.report(fmt.Errorf("first sample number is %d, want 0 or more", o.First))
	}
	if o.First > 0 && o.Samples > math.MaxInt-o.First {
		v.report(fmt.Errorf("first sample number is %d, want at most %d: the last of %d samples has a number, too", o.First, math.MaxInt-o.Samples, o.Samples))
	}
	if o.ChunkSize < 0 {
		v.report(fmt.Errorf("chunk size is %d, want 0 (chosen) or more", o.ChunkSize))
	}
}

func (v *validation) variable(i int) {
	p, name := v.problem.Variables[i], v.problem.variableName(i)
	shape := p.shape()
	if shape == nil {
		v.report(fmt.Errorf("variable %s has neither a model nor given values", name))
		return
	}
	if err := shape.Check(); err != nil {
		v.reportf(err, "variable %s", name)
		return
	}
	if float64(v.n)*float64(shape.Size()) > mostNumbers {
		v.report(fmt.Errorf("variable %s: %d samples of %d elements are more numbers than a program can hold; draw them in parts, see Options.First", name, v.n, shape.Size()))
	}
	if p.Model != nil && v.problem.Dynamics != nil {
		v.reportf(v.dynamics(p.Model), "variable %s", name)
	}
	if p.Init != nil {
		v.reportf(p.Init.check(shape, v.first, v.n), "variable %s", name)
	}
	if p.Project != nil {
		v.reportf(p.Project.Check(shape), "variable %s", name)
	}
	v.reportf(p.ProjectAt.check(v.steps-1), "variable %s", name)
	for k, c := range p.Conditions {
		v.reportf(c.check(shape, v.first, v.n), "variable %s, condition %d", name, k)
		v.reportf(c.Window.check(v.steps), "variable %s, condition %d", name, k)
	}
}

// dynamics returns an error where a model cannot be sampled by the dynamics.
func (v *validation) dynamics(m denoise.Denoiser) error {
	d := v.problem.Dynamics
	if err := d.Check(m.Kind()); err != nil {
		return err
	}
	if n := d.Steps(); n < 1 {
		return fmt.Errorf("the dynamics take %d steps, want at least 1", n)
	}
	for i := range d.Steps() {
		if t := d.Transition(i, m.Kind()); t.Fraction != 0 {
			_, err := denoise.At(m, float64(t.Timestep)+t.Fraction)
			return err
		}
	}
	return nil
}

func (v *validation) coupling(i int) {
	c, name := v.problem.Couplings[i], v.problem.couplingName(i)
	if c.Cost == nil {
		v.report(fmt.Errorf("coupling %s has no cost", name))
		return
	}
	if c.Strength-c.Strength != 0 {
		v.report(fmt.Errorf("coupling %s has strength %v, want a finite number", name, c.Strength))
	}
	if c.At < 0 || int(c.At) >= len(placementNames) {
		v.report(fmt.Errorf("coupling %s is placed at %v, want one of %s", name, c.At, strings.Join(placementNames[:], ", ")))
	}
	if c.Scale < 0 || int(c.Scale) >= len(scaleNames) {
		v.report(fmt.Errorf("coupling %s is scaled by %v, want one of %s", name, c.Scale, strings.Join(scaleNames[:], ", ")))
	}
	v.rates(c, name)
	v.reportf(c.Window.check(v.steps-1), "coupling %s", name)
	shapes, err := v.shapes(c.Variables)
	if err != nil {
		v.reportf(err, "coupling %s", name)
		return
	}
	v.reportf(c.Cost.Check(shapes), "coupling %s", name)
	for k, t := range c.Transforms {
		v.reportf(checkTransform(t, shapes), "coupling %s, transform %d", name, k)
	}
	for _, i := range v.problem.arguments(c.Variables) {
		m := v.problem.Variables[i].Model
		if _, ok := m.(denoise.VJPer); c.At == AtEstimate && m != nil && !ok {
			v.reportf(denoise.ErrNotDifferentiable, "coupling %s: variable %s, for the gradient at the estimate", name, v.problem.variableName(i))
		}
	}
}

// rates reports a scale that the dynamics do not have, which would leave a coupling out
// silently, and a step at which it would push without bound.
func (v *validation) rates(c Coupling, name string) {
	d, kind := v.problem.Dynamics, v.kindOf(c)
	if d == nil || d.Check(kind) != nil {
		return
	}
	offered := false
	for i := range d.Steps() {
		factor := d.Transition(i, kind).scale(c.Scale)
		if c.Window.Contains(i) && math.IsInf(factor, 0) {
			v.report(fmt.Errorf("coupling %s: its scale, the %v, is infinite at step %d, where the state has no signal; %s", name, c.Scale, i, v.signal(c, i)))
			return
		}
		offered = offered || factor != 0
	}
	if !offered {
		v.report(fmt.Errorf("coupling %s is scaled by the %v, which %v does not have", name, c.Scale, d))
	}
}

// signal says how the steps without signal, from step i on, are left out of a coupling.
func (v *validation) signal(c Coupling, i int) string {
	switch {
	case i > c.Window.From:
		return fmt.Sprintf("leave that step out by a window of %d to %d", c.Window.From, i)
	case i > 0:
		return fmt.Sprintf("begin the window at a step below %d", i)
	}
	return "no other step is left: dynamics of more steps have some with signal"
}

// kindOf returns what the model of the first variable of a coupling predicts that has one.
func (v *validation) kindOf(c Coupling) schedule.Kind {
	for _, k := range v.problem.arguments(c.Variables) {
		if k >= 0 && k < len(v.problem.Variables) && v.problem.Variables[k].Model != nil {
			return v.problem.Variables[k].Model.Kind()
		}
	}
	return schedule.Score
}

func (v *validation) constraint(i int) {
	c, name := v.problem.Constraints[i], v.problem.constraintName(i)
	if c.Project == nil {
		v.report(fmt.Errorf("constraint %s has no set", name))
		return
	}
	shapes, err := v.shapes(c.Variables)
	if err != nil {
		v.reportf(err, "constraint %s", name)
		return
	}
	v.reportf(c.Project.Check(shapes), "constraint %s", name)
	v.reportf(c.Window.check(v.steps-1), "constraint %s", name)
	for _, k := range v.problem.arguments(c.Variables) {
		if v.problem.Variables[k].Model == nil {
			v.report(fmt.Errorf("constraint %s: variable %s is given and cannot be projected", name, v.problem.variableName(k)))
		}
	}
}

// shapes returns the shapes of the listed variables, or of all.
func (v *validation) shapes(variables []int) ([]tensor.Shape, error) {
	if variables != nil && len(variables) == 0 {
		return nil, errors.New("it lists no variables; nil is all of them")
	}
	var shapes []tensor.Shape
	seen := make(map[int]bool)
	for _, i := range v.problem.arguments(variables) {
		if seen[i] {
			return nil, fmt.Errorf("variable number %d is listed twice", i)
		}
		seen[i] = true
		if i < 0 || i >= len(v.problem.Variables) {
			return nil, fmt.Errorf("variable number %d does not exist; there are %d", i, len(v.problem.Variables))
		}
		p := v.problem.Variables[i]
		if p.shape() == nil {
			return nil, fmt.Errorf("variable %s has no shape", v.problem.variableName(i))
		}
		shapes = append(shapes, p.shape())
	}
	return shapes, nil
}
