package pcd

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUncertified is matched by every [UncertifiedError].
var ErrUncertified = errors.New("pcd: the samples are not certified")

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

// UncertifiedError says which constraint the final samples do not satisfy.
type UncertifiedError struct {
	Set       string  // the variable or constraint it belongs to
	Sample    int     // sample number of the worst violation
	Violation float64 // in the units of the set
}

func (e *UncertifiedError) Error() string {
	return fmt.Sprintf("pcd: %s is not certified: sample %d violates its constraint by %.6g", e.Set, e.Sample, e.Violation)
}

// Is makes errors.Is(err, [ErrUncertified]) true.
func (e *UncertifiedError) Is(target error) bool { return target == ErrUncertified }
