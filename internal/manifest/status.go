package manifest

import (
	"context"
	"errors"
	"slices"
)

// Status says how far the computation of an output came.
type Status string

// The states of a computation.
const (
	Running     Status = "running"     // or killed: the manifest is not written again
	Delivering  Status = "delivering"  // the files are made and take their places; or killed meanwhile
	Finished    Status = "finished"    // all that was asked for
	Interrupted Status = "interrupted" // by the user; the files hold what was finished
	Failed      Status = "failed"
)

// known says whether there is such a status.
func (s Status) known() bool {
	return slices.Contains([]Status{Running, Delivering, Finished, Interrupted, Failed}, s)
}

// StatusOf returns the state in which err leaves a computation.
func StatusOf(err error) Status {
	switch {
	case err == nil:
		return Finished
	case errors.Is(err, context.Canceled):
		return Interrupted
	default:
		return Failed
	}
}
