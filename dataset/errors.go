package dataset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
)

// FormatError says which part of which file cannot be read.
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

// clip makes text of a file fit for a message.
func clip(s string) string { return quote.Text(s) }

// LimitError says that an array is larger than the reader allows.
type LimitError struct {
	What         string
	Value, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("dataset: %s: %d exceeds the limit of %d, which a file of this size can need; ReadOptions.MaxBytes allows more", clip(e.What), e.Value, e.Limit)
}

// KeyError says which array is missing, and which there are.
type KeyError struct {
	Want string
	Have []string
}

func (e *KeyError) Error() string {
	const most = 30
	return fmt.Sprintf("dataset: no array %s; there are %s", clip(e.Want), quote.List(slices.Sorted(slices.Values(e.Have)), most))
}

// TypeError says that an array holds elements of another type than asked for.
type TypeError struct {
	Array string
	Got   DType
	Want  string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("dataset: array %s holds %v, want %s", clip(e.Array), e.Got, e.Want)
}

// ShapeError says that an array has the wrong shape.
type ShapeError struct {
	Array string
	Got   []int
	Want  string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("dataset: array %s has shape %v, want %s", clip(e.Array), e.Got, e.Want)
}

// EpisodeError says which episode of a replay buffer contradicts the rest.
type EpisodeError struct {
	Index  int   // number of the episode
	End    int64 // where it is said to end
	Reason string
}

func (e *EpisodeError) Error() string {
	return fmt.Sprintf("dataset: episode %d ends at row %d: %s", e.Index, e.End, e.Reason)
}
