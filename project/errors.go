package project

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// ErrInfeasible is matched by every [InfeasibleError].
var ErrInfeasible = errors.New("project: the constraints cannot be satisfied")

// InfeasibleError says that a set has no member, for which sample, and by how
// much its parameters miss.
type InfeasibleError struct {
	Set       string  // what was asked for, for instance "speed-limited path"
	Sample    int     // sample number, or -1 when it is the same for all
	Violation float64 // by how much the best point fails, in the units of the constraint
	Reason    string  // what would have to change
}

func (e *InfeasibleError) Error() string {
	if e.Sample < 0 {
		return fmt.Sprintf("project: %s is infeasible by %.6g: %s", e.Set, e.Violation, e.Reason)
	}
	return fmt.Sprintf("project: %s of sample %d is infeasible by %.6g: %s", e.Set, e.Sample, e.Violation, e.Reason)
}

// Is makes errors.Is(err, [ErrInfeasible]) true.
func (e *InfeasibleError) Is(target error) bool { return target == ErrInfeasible }

// ParameterError says that a set was described by a parameter it cannot have.
type ParameterError struct {
	Set   string
	Name  string
	Value float64
	Want  string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("project: %s: %s is %v, want %s", e.Set, e.Name, e.Value, e.Want)
}

// sizeError says that a set was made for samples of another size.
type sizeError struct {
	Set   string
	Shape tensor.Shape // what was given
	Want  int          // elements per sample that the set was made for
}

func (e *sizeError) Error() string {
	return fmt.Sprintf("project: %s: samples of shape %v have %d elements, want %d", e.Set, e.Shape, e.Shape.Size(), e.Want)
}

// ShapeError says that samples of a shape cannot be members for another reason
// than their size.
type ShapeError struct {
	Set   string
	Shape tensor.Shape
	Want  string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("project: %s: samples have shape %v, want %s", e.Set, e.Shape, e.Want)
}

// missingSampleError says that a parameter given per sample has no row for a
// sample.
type missingSampleError struct {
	Set, Name string
	Sample    int
	First, N  int // the rows that exist are samples First to First+N-1
}

func (e *missingSampleError) Error() string {
	return fmt.Sprintf("project: %s: no %s for sample %d, have samples %d to %d", e.Set, e.Name, e.Sample, e.First, e.First+e.N-1)
}
