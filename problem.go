package pcd

import (
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/project"
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
	// Cadence says at which steps variables are projected. The zero value
	// projects at every step.
	Cadence Cadence
	// ConditionMean also writes the conditions on the mean of a step, before its
	// noise is added, as the multi-robot reference does.
	ConditionMean bool
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
}

// Condition fixes consecutive elements of every sample of a variable.
type Condition struct {
	Offset int // first element, row-major within the sample
	// Values are the elements to write: one row for all samples, or one row per
	// sample number.
	Values tensor.Batch
	// Window says after which steps the values are written; the initial state
	// counts as step Steps(). The zero value writes them always.
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

// Cadence says when variables are projected. Step 0, the last, always is.
type Cadence struct {
	Every    int  // project at steps that are multiples of this; 0 is 1
	LastOnly bool // project at step 0 only
	// WarmStart lets projectors that can (see [project.WarmStarter]) begin where
	// they stopped for the same sample.
	WarmStart bool
}

// projects reports whether step i projects.
func (c Cadence) projects(i int) bool {
	if i == 0 || c.LastOnly {
		return i == 0
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

// rowOf returns the row for a sample number: the only one, or its own.
func rowOf(b tensor.Batch, sample int) []float32 {
	if b.N == 1 {
		return b.Sample(0)
	}
	return b.Sample(sample - b.First)
}
