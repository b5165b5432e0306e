package torchfile

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/quote"
)

// Error says what is wrong with which part of an archive.
type Error struct {
	Part   string // entry of the archive, or path of a value
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("PyTorch archive: %s: %s", e.Part, e.Reason)
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// GlobalError lists the classes and functions that a file asks for and that are
// not read: only tensors are.
type GlobalError struct {
	Path  string   // where in the file, or empty when anywhere
	Names []string // dotted names, in file order
}

func (e *GlobalError) Error() string {
	at := ""
	if e.Path != "" {
		at = " at " + e.Path
	}
	return fmt.Sprintf("PyTorch archive: refused%s: %s; only tensors are read, nothing is executed (save a plain state dict, or skip objects)",
		at, quote.List(e.Names, maxForeign))
}

// LimitError says that a file asks for more than is allowed.
type LimitError struct {
	What         string
	Value, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: %d exceeds the limit of %d", e.What, e.Value, e.Limit)
}
