package pusht

import (
	"errors"
	"fmt"
)

// ErrNotStarted is returned by [Vector.Execute] before the first [Vector.Reset].
var ErrNotStarted = errors.New("pusht: the environments have not been reset; call Reset with their starts first")

// StateError says that a state cannot be set: a number of it is not finite or
// lies outside the window.
type StateError struct {
	Environment int    // index in the batch, 0 for a single world
	What        string // "agent x", "block angle", ...
	Value       float64
}

func (e *StateError) Error() string {
	return fmt.Sprintf("pusht: environment %d: %s is %v; positions must lie in [0, %d] px and angles must be finite", e.Environment, e.What, e.Value, Size)
}

// TargetError says that an action is not a place to move to: NaN, infinite, or
// farther from the window than [Reach].
type TargetError struct {
	Environment int // index in the batch, 0 for a single world
	Action      int // index in the chunk, 0 for a single step
	X, Y        float64
}

func (e *TargetError) Error() string {
	return fmt.Sprintf("pusht: environment %d, action %d: target (%v, %v) must be finite and within %g px; are the samples unnormalised?", e.Environment, e.Action, e.X, e.Y, Reach)
}

// LengthError says that an array does not have the length its shape demands.
type LengthError struct {
	What      string // what the array holds, with its shape
	Got, Want int
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("pusht: %s has %d elements, want %d", e.What, e.Got, e.Want)
}

// DemonstrationError says that a demonstration cannot be replayed.
type DemonstrationError struct{ States, Actions int }

func (e *DemonstrationError) Error() string {
	return fmt.Sprintf("pusht: a demonstration has %d states and %d actions; it needs one action for each of at least one state", e.States, e.Actions)
}

// OptionError says that an option of [NewVector] makes no sense.
type OptionError struct {
	Option string
	Value  int
	Want   string
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("pusht: option %s is %d, want %s", e.Option, e.Value, e.Want)
}
