package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/weights"
)

// FormatError says which part of which file cannot be read, or does not hold what it was
// read for: errors.As finds one for an array that is missing, of another type or shape,
// too large, and for episodes and ranges that contradict themselves.
type FormatError struct {
	File   string // path or description
	Part   string // array, entry or chunk, or empty
	Reason string
	Err    error // cause, or nil
}

func (e *FormatError) Error() string {
	var b strings.Builder
	b.WriteString("dataset: ")
	for _, s := range []string{e.File, e.Part, e.Reason} {
		if s == "" {
			continue
		}
		if b.Len() > len("dataset: ") {
			b.WriteString(": ")
		}
		b.WriteString(clip(s))
	}
	if e.Err != nil {
		b.WriteString(": " + strings.TrimPrefix(e.Err.Error(), "dataset: "))
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// asFormat makes target a [FormatError] with the text of a kind of error that this package
// tells apart.
func asFormat(target any, err error) bool {
	f, ok := target.(**FormatError)
	if ok {
		*f = &FormatError{Reason: strings.TrimPrefix(err.Error(), "dataset: ")}
	}
	return ok
}

// clip makes text of a file fit for a message.
func clip(s string) string { return quote.Text(s) }

// limitError says that an array is larger than the reader allows.
type limitError struct {
	What         string
	Value, Limit int64
}

func (e *limitError) Error() string {
	return fmt.Sprintf("dataset: %s: %d exceeds the limit of %d, which a file of this size can need; ReadOptions.MaxBytes allows more", clip(e.What), e.Value, e.Limit)
}

// As finds a [FormatError].
func (e *limitError) As(target any) bool { return asFormat(target, e) }

// keyError says which array is missing, and which there are.
type keyError struct {
	Want string
	Have []string
}

func (e *keyError) Error() string {
	const most = 30
	return fmt.Sprintf("dataset: no array %s; there are %s", clip(e.Want), quote.List(slices.Sorted(slices.Values(e.Have)), most))
}

// As finds a [FormatError].
func (e *keyError) As(target any) bool { return asFormat(target, e) }

// typeError says that an array holds elements of another type than asked for.
type typeError struct {
	Array string
	Got   weights.DType
	Want  string
}

func (e *typeError) Error() string {
	return fmt.Sprintf("dataset: array %s holds %v, want %s", clip(e.Array), e.Got, e.Want)
}

// As finds a [FormatError].
func (e *typeError) As(target any) bool { return asFormat(target, e) }

// shapeError says that an array has the wrong shape.
type shapeError struct {
	Array string
	Got   []int
	Want  string
}

func (e *shapeError) Error() string {
	return fmt.Sprintf("dataset: array %s has shape %v, want %s", clip(e.Array), e.Got, e.Want)
}

// As finds a [FormatError].
func (e *shapeError) As(target any) bool { return asFormat(target, e) }

// episodeError says which episode of a replay buffer contradicts the rest.
type episodeError struct {
	Index  int   // number of the episode
	End    int64 // where it is said to end
	Reason string
}

func (e *episodeError) Error() string {
	return fmt.Sprintf("dataset: episode %d ends at row %d: %s", e.Index, e.End, e.Reason)
}

// As finds a [FormatError].
func (e *episodeError) As(target any) bool { return asFormat(target, e) }
