package pair

import (
	"fmt"
	"io/fs"
)

// ExemplarError says which exemplar keeps a hull from being spanned.
type ExemplarError struct {
	Member   string // whose exemplars
	Exemplar int    // number of the exemplar, or -1 for all of them
	Name     string // of its file, or empty
	Reason   string // what is wrong, and what is wanted
}

func (e *ExemplarError) Error() string {
	what := fmt.Sprintf("the exemplars of %s", e.Member)
	if e.Exemplar >= 0 {
		what = fmt.Sprintf("exemplar %d of %s", e.Exemplar+1, e.Member)
	}
	if e.Name != "" {
		what += " (" + e.Name + ")"
	}
	return "pair: " + what + " " + e.Reason
}

// NeedsError says what a method lacks: a part of the model, or one of the program.
type NeedsError struct {
	Method Method // or empty
	What   string // such as "a classifier of latents"
	Remedy string
	Err    error // cause, or nil
}

func (e *NeedsError) Error() string {
	who := "method " + string(e.Method)
	if e.Method == "" {
		who = "what is asked for"
	}
	s := fmt.Sprintf("pair: %s needs %s", who, e.What)
	if e.Remedy != "" {
		s += ": " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *NeedsError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, fs.ErrNotExist) true: something is not there.
func (e *NeedsError) Is(target error) bool { return target == fs.ErrNotExist }
