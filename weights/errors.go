package weights

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/torchfile"
)

// errClosed is returned for tensors of a file that was closed.
var errClosed = errors.New("weights: the file of this tensor was closed")

// errLost is the cause of the [FormatError] for a file that could be opened and cannot be
// read any more.
var errLost = errors.New("the file became shorter while it was read, or its disk failed: put it back whole and begin again")

// limitError says that a file asks for more than is allowed.
type limitError = torchfile.LimitError

// FormatError says why a file cannot be read, or does not hold what it was read for:
// errors.As finds one for elements that cannot become the numbers that were asked for, for
// a name that is used twice, and for an index whose files do not make a model.
type FormatError struct {
	Path   string // file, or empty for bytes in memory
	Format string // by name
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
	b.WriteString(cmp.Or(e.Format, unknown))
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

// asFormat makes target a [FormatError] with the text of a kind of error that this package
// tells apart.
func asFormat(target any, tensor string, err error) bool {
	f, ok := target.(**FormatError)
	if ok {
		*f = &FormatError{Tensor: tensor, Reason: strings.TrimPrefix(err.Error(), "weights: ")}
	}
	return ok
}

// wantFloat lists the types whose elements become float32: floats of eight bits do not.
const wantFloat = "float16, bfloat16, float32 or float64"

// dtypeError says that the elements of a tensor cannot become numbers of the
// kind that was asked for.
type dtypeError struct {
	Tensor string
	DType  DType
	Want   string
}

func (e *dtypeError) Error() string {
	return fmt.Sprintf("weights: tensor %q has type %v, want %s", e.Tensor, e.DType, e.Want)
}

// As finds a [FormatError].
func (e *dtypeError) As(target any) bool { return asFormat(target, e.Tensor, e) }

// nameError says that a name is used twice.
type nameError struct{ Name string }

func (e *nameError) Error() string {
	return fmt.Sprintf("weights: two tensors are called %q", e.Name)
}

// As finds a [FormatError].
func (e *nameError) As(target any) bool { return asFormat(target, e.Name, e) }

// rangeError says that a number is too large for the type that it is converted to. The file
// is as it should be, so that it is no [FormatError].
type rangeError struct {
	Tensor  string
	Element int // in row-major order
	Value   float64
	DType   DType
}

func (e *rangeError) Error() string {
	return fmt.Sprintf("weights: tensor %q: element %d is %v, too large for %v", e.Tensor, e.Element, e.Value, e.DType)
}

// OptionError says what cannot be asked for.
type OptionError struct{ Option, Got, Want string }

func (e *OptionError) Error() string {
	return fmt.Sprintf("weights: %s is %s, want %s", e.Option, e.Got, e.Want)
}

// writeError says that a new file could not be written.
type writeError = atomicfile.WriteError
