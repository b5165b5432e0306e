package singlefile

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/quote"
)

// Error says why a file is not a model that is read here.
type Error struct {
	Tensor string // the tensor concerned, or empty
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	s := "single file: "
	if e.Tensor != "" {
		s += fmt.Sprintf("tensor %s ", quote.Text(e.Tensor))
	}
	s += e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
