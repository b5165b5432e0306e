package cost

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// parameterError says that a cost was given a parameter it cannot have.
type parameterError struct {
	Cost  string
	Name  string
	Value float64
	Want  string
}

func (e *parameterError) Error() string {
	return fmt.Sprintf("cost: %s: %s is %v, want %s", e.Cost, e.Name, e.Value, e.Want)
}

// ShapeError says that a cost does not fit the variables it is applied to.
type ShapeError struct {
	Cost   string
	Shapes []tensor.Shape
	Want   string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("cost: %s cannot take variables of shapes %v, want %s", e.Cost, e.Shapes, e.Want)
}

// checkArity returns an error unless there are n variables.
func checkArity(name string, shapes []tensor.Shape, n int) error {
	if len(shapes) != n {
		return &ShapeError{Cost: name, Shapes: shapes, Want: fmt.Sprintf("%d of them", n)}
	}
	return nil
}

// checkPair returns an error unless there are two variables of one shape.
func checkPair(name string, shapes []tensor.Shape) error {
	if err := checkArity(name, shapes, 2); err != nil {
		return err
	}
	if !shapes[0].Equal(shapes[1]) {
		return &ShapeError{Cost: name, Shapes: shapes, Want: "two of one shape"}
	}
	return nil
}

// checkPositive returns an error unless v is a positive finite number.
func checkPositive(cost, name string, v float64) error {
	if !(v > 0) || v-v != 0 {
		return &parameterError{Cost: cost, Name: name, Value: v, Want: "a positive number"}
	}
	return nil
}
