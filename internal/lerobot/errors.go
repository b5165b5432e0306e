package lerobot

import "github.com/go-pcd/pcd/internal/quote"

// Error says what cannot be read of a data set.
type Error struct {
	File   string // in the folder
	Reason string
	Err    error // cause, or nil
}

func (e *Error) Error() string {
	s := "lerobot: " + quote.Text(e.File) + ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
