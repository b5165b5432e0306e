package pcd

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels of [UncertifiedError].
var (
	// ErrUncertified is matched by every one.
	ErrUncertified = errors.New("pcd: the samples are not certified")
	// ErrProjectorLimit is matched where a projection had stopped at its limit.
	ErrProjectorLimit = errors.New("pcd: a projection stopped at its iteration limit")
)

// ProblemError lists everything that is wrong with a problem or its options.
type ProblemError struct{ Issues []error }

func (e *ProblemError) Error() string {
	if len(e.Issues) == 1 {
		return "pcd: " + e.Issues[0].Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "pcd: %d things are wrong with the problem:", len(e.Issues))
	for _, issue := range e.Issues {
		b.WriteString("\n  - " + issue.Error())
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As the single issues.
func (e *ProblemError) Unwrap() []error { return e.Issues }

// StepError says at which step of a run and on which variable something failed.
type StepError struct {
	Step     int    // step number, counting down
	Variable string // empty when it was not one variable's fault
	Err      error
}

func (e *StepError) Error() string {
	if e.Variable == "" {
		return fmt.Sprintf("pcd: step %d: %v", e.Step, e.Err)
	}
	return fmt.Sprintf("pcd: step %d, variable %s: %v", e.Step, e.Variable, e.Err)
}

func (e *StepError) Unwrap() error { return e.Err }

// divergedError says that a state is not finite, and how strongly couplings had moved it:
// a strength that suits one scale is often far too much for another.
type divergedError struct {
	Err       error // says where, a [tensor.NonFiniteError]
	Model     error // where the prediction is not finite, or nil
	Couplings []couplingForce
}

// couplingForce is how strongly a coupling acts on a variable at a step.
type couplingForce struct {
	Coupling string  // its name or number
	Strength float64 // γ
	Scale    Scale
	// Factor is what the scale multiplies the strength by at the step.
	Factor float64
	// Offers are the scales of the dynamics whose factor is smaller, with it.
	Offers []scaleFactor
}

// scaleFactor is a scale and its factor at a step.
type scaleFactor struct {
	Scale  Scale
	Factor float64
}

func (e *divergedError) Error() string {
	var b strings.Builder
	b.WriteString(e.Err.Error())
	if e.Model != nil {
		b.WriteString("; not finite is the prediction of its model: " + e.Model.Error())
	}
	for i, f := range e.Couplings {
		lead := "; coupling "
		if i > 0 {
			lead = ", coupling "
		}
		fmt.Fprintf(&b, "%s%s moved it with strength %g and scale %v, which is %.4g at this step", lead, f.Coupling, f.Strength, f.Scale, f.Factor)
		for _, o := range f.Offers {
			fmt.Fprintf(&b, " (scale %v is %.4g)", o.Scale, o.Factor)
		}
	}
	return b.String()
}

// Unwrap returns where the state is not finite.
func (e *divergedError) Unwrap() error { return e.Err }

// UncertifiedError says which constraint the final samples do not satisfy.
type UncertifiedError struct {
	Set       string  // the variable or constraint it belongs to
	Sample    int     // sample number of the worst violation
	Violation float64 // in the units of the set
	// Limited is true when projections onto the set stopped at their iteration
	// limit: more iterations may help.
	Limited bool
}

func (e *UncertifiedError) Error() string {
	msg := fmt.Sprintf("pcd: %s is not certified: sample %d violates its constraint by %.6g", e.Set, e.Sample, e.Violation)
	if e.Limited {
		msg += "; its projections stopped at their iteration limit"
	}
	return msg
}

// Is makes errors.Is(err, [ErrUncertified]) true, and that of [ErrProjectorLimit]
// where it applies.
func (e *UncertifiedError) Is(target error) bool {
	return target == ErrUncertified || e.Limited && target == ErrProjectorLimit
}

// partError names the coupling or constraint that failed.
type partError struct {
	kind, name string
	err        error
}

func (e *partError) Error() string { return e.kind + " " + e.name + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }
