package pcd

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Problem is what to sample: variables, what couples them, and how they move.
type Problem struct {
	Variables []Variable
	Couplings []Coupling
	// Constraints hold several variables together. They are projected on after
	// the variables' own sets; where both kinds meet in one variable, the
	// certificate tells whether the result satisfies both.
	Constraints []Constraint
	Dynamics    Dynamics
	// Before, if not nil, moves the states before every step. A run that ends early then
	// has samples that may have been moved.
	Before Corrector
	// BeforeNoise, if not nil, moves the means of every step after the couplings and before
	// the noise.
	BeforeNoise Corrector
	// Accept, if not nil, says at which steps nothing is left to guide.
	Accept Acceptor
	// Cadence says at which steps variables are projected. The zero value
	// projects at every step.
	Cadence Cadence
}

// Variable is one of the quantities sampled together.
type Variable struct {
	Name  string           // for messages; empty is its number
	Model denoise.Denoiser // nil: the variable is given by Init and does not move
	// Init is the state before the first step; nil is standard normal. A variable
	// without a model needs a [Values].
	Init Init
	// Project maps states to the constraint set; nil leaves them free.
	Project project.Projector
	// ProjectAt says at which of the steps of the cadence states are projected. The zero
	// value is all. Samples are certified by the set however it is.
	ProjectAt Window
	// Conditions are values that overwrite parts of the state (in-painting).
	Conditions []Condition
}

// Constraint is a constraint set of several variables.
type Constraint struct {
	Name string // for messages; empty is its number
	// Variables are the members of a tuple, by position in the problem; nil is all
	// of them in order. They must have models.
	Variables []int
	Project   project.Joint
	// Window says at which of the steps of the cadence the set is projected on. The zero
	// value is all. Samples are certified by it however it is.
	Window Window
}

// Window is a range of step numbers. Steps count down as in the literature: the
// last step of a run is step 0.
type Window struct {
	From int // first step number in the window
	To   int // first step number beyond it; 0 is no limit
}

// Contains reports whether step i lies in the window.
func (w Window) Contains(i int) bool { return i >= w.From && (w.To == 0 || i < w.To) }

// check returns an error for a window that no step lies in, where steps count down from first to 0.
func (w Window) check(first int) error {
	switch {
	case w.To < 0 || w.To > 0 && w.From >= w.To:
		return fmt.Errorf("the window from step %d to before step %d has no step, want the end behind the beginning, or 0 for no end; steps count down to 0", w.From, w.To)
	case w.From < 0 || w.From > first:
		return fmt.Errorf("the window begins at step %d, want one of %d to 0, as steps are counted", w.From, first)
	}
	return nil
}

// Cadence says when variables are projected. Step 0, the last, always is.
type Cadence struct {
	Every    int   // project at steps that are multiples of this; 0 is 1
	LastOnly bool  // project at step 0 only
	Steps    []int // if not nil, project at these steps instead of Every, and at step 0
	// At says what is projected: AtState, the states after steps, or AtEstimate, the estimates of
	// the clean samples before them, with which the steps are then taken. The last state is projected
	// in any case.
	At Placement
	// WarmStart lets projectors that can (see [project.WarmStarter]) begin where
	// they stopped for the same sample.
	WarmStart bool
}

// projects reports whether step i projects.
func (c Cadence) projects(i int) bool {
	switch {
	case i == 0:
		return true
	case c.LastOnly:
		return false
	case c.Steps != nil:
		return slices.Contains(c.Steps, i)
	}
	return i%max(c.Every, 1) == 0
}

// shape returns the shape of a variable's samples.
func (v Variable) shape() tensor.Shape {
	if v.Model != nil {
		return v.Model.Shape()
	}
	if given, ok := v.Init.(Values); ok {
		return given.Shape
	}
	return nil
}

// kind returns what the model predicts; of a given variable only the timestep matters.
func (v Variable) kind() schedule.Kind {
	if v.Model != nil {
		return v.Model.Kind()
	}
	return schedule.Epsilon
}

// arguments returns the listed variable numbers, or all.
func (p Problem) arguments(variables []int) []int {
	if variables != nil {
		return variables
	}
	all := make([]int, len(p.Variables))
	for i := range all {
		all[i] = i
	}
	return all
}

func (p Problem) variableName(i int) string {
	if name := p.Variables[i].Name; name != "" {
		return name
	}
	return fmt.Sprint(i)
}

func (p Problem) constraintName(i int) string {
	if name := p.Constraints[i].Name; name != "" {
		return name
	}
	return fmt.Sprint(i)
}

func (p Problem) couplingName(i int) string {
	if name := p.Couplings[i].Name; name != "" {
		return name
	}
	return fmt.Sprint(i)
}
