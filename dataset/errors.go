package dataset

import (
	"fmt"
	"slices"
	"strings"
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
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }

// clip shortens text of a file for a message.
func clip(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}

// LimitError says that an array is larger than the reader allows.
type LimitError struct {
	What         string
	Value, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("dataset: %s: %d exceeds the limit of %d; raise ReadOptions.MaxBytes if that is intended", clip(e.What), e.Value, e.Limit)
}

// KeyError says which array is missing, and which there are.
type KeyError struct {
	Want string
	Have []string
}

func (e *KeyError) Error() string {
	have := slices.Sorted(slices.Values(e.Have))
	const most = 30
	if len(have) > most {
		have = append(have[:most], "…")
	}
	return fmt.Sprintf("dataset: no array %q; there are %q", clip(e.Want), have)
}

// TypeError says that an array holds elements of another type than asked for.
type TypeError struct {
	Array string
	Got   DType
	Want  string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("dataset: array %q holds %v, want %s", clip(e.Array), e.Got, e.Want)
}

// ShapeError says that an array has the wrong shape.
type ShapeError struct {
	Array string
	Got   []int
	Want  string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("dataset: array %q has shape %v, want %s", clip(e.Array), e.Got, e.Want)
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
