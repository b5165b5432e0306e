package weights

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/torchfile"
)

// ErrClosed is returned for tensors of a file that was closed.
var ErrClosed = errors.New("weights: the file of this tensor was closed")

// ErrLost is the cause of the [FormatError] for a file that could be opened and cannot be
// read any more.
var ErrLost = errors.New("the file became shorter while it was read, or its disk failed: put it back whole and begin again")

// GlobalError lists the classes and functions that a PyTorch file asks for and
// that are not read.
type GlobalError = torchfile.GlobalError

// LimitError says that a file asks for more than is allowed.
type LimitError = torchfile.LimitError

// FormatError says why a file cannot be read.
type FormatError struct {
	Path   string // file, or empty for bytes in memory
	Format Format
	Tensor string // the tensor concerned, or empty
	Reason string
	Err    error // cause, or nil
}

func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("weights: ")
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Format.String())
	if e.Tensor != "" {
		fmt.Fprintf(&b, ": tensor %q", e.Tensor)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// DTypeError says that the elements of a tensor cannot become numbers of the
// kind that was asked for.
type DTypeError struct {
	Tensor string
	DType  DType
	Want   string
}

func (e *DTypeError) Error() string {
	return fmt.Sprintf("weights: tensor %q has type %v, want %s", e.Tensor, e.DType, e.Want)
}

// NameError says that a name is used twice.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	return fmt.Sprintf("weights: two tensors are called %q", e.Name)
}

// RangeError says that a number is too large for the type that it is converted to.
type RangeError struct {
	Tensor  string
	Element int // in row-major order
	Value   float64
	DType   DType
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("weights: tensor %q: element %d is %v, too large for %v", e.Tensor, e.Element, e.Value, e.DType)
}

// OptionError says what cannot be asked for.
type OptionError struct{ Option, Got, Want string }

func (e *OptionError) Error() string {
	return fmt.Sprintf("weights: %s is %s, want %s", e.Option, e.Got, e.Want)
}

// writeError says that a new file could not be written.
type writeError = atomicfile.WriteError
