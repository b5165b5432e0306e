package experiment

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/settings"
)

// SpecError says why a request makes no evaluation: it is the caller's mistake,
// found before any work.
type SpecError struct{ Err error }

func (e *SpecError) Error() string { return e.Err.Error() }

func (e *SpecError) Unwrap() error { return e.Err }

// MismatchError says that a result on the disk was made with something else than
// what it would be continued with, or taken for.
type MismatchError struct {
	Path        string
	What        string   // "model" or "settings"
	Differences []string // "samples: 3 instead of 2"
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s was computed with other %s (%s); choose another directory", e.Path, e.What, settings.List(e.Differences))
}

// FileError says why a file does not hold a result.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s cannot be used: %v", e.Path, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }
