package planner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/render"
)

// Outcome is what a task gives: a summary and everything behind it.
type Outcome[S any] struct {
	Name     string // of the task: "plan", "push", "pair"
	Summary  *S
	Seed     uint64
	Settings any                       // everything that decides the numbers, for the manifest
	Inputs   map[string]manifest.Input // what was read, for the manifest; of a plan there are none before it is written
	Arrays   []dataset.Array           // all samples
	// Verdict is nil when the outcome keeps its promises and is feasible, else a
	// [pcd.UncertifiedError] or an [InfeasibleError]. The outcome is finished either way.
	Verdict error
	// Pictures are those of a plan and of pairs of manipulation, else nil.
	Pictures Pictures

	setFiles func([]string)         // of the summary
	parts    func() ([]part, error) // its files
	saved    func()                 // called when the files have their places; may be nil
	pieces   *unfinished            // kept until the files have their places; may be nil
}

// Pictures draws an outcome.
type Pictures interface {
	// Figure returns the still picture.
	Figure() (*render.Figure, error)
	// Animation returns what happens over time, which can be written as a page, as the
	// data of a page or as a GIF.
	Animation() (*render.Animation, error)
}

// UnfinishedError says how far a run got that was interrupted or failed.
type UnfinishedError struct {
	Done, Total int
	Err         error // why it ended
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%v after %d of %d steps", e.Err, e.Done, e.Total)
}

func (e *UnfinishedError) Unwrap() error { return e.Err }

// isInterrupted reports whether the caller ended a run.
func isInterrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// counted returns a function that reports sampling to a watch, and where the last steps
// are kept that it reported.
func (w Watch) counted() (watched func(done, total int), last *[2]int) {
	last = new([2]int)
	return func(done, total int) {
		*last = [2]int{done, total}
		w.progress("sampling", done, total)
	}, last
}

// stopped returns the error of a run that did not finish, with how far it got.
func stopped(err error, last *[2]int) error {
	if last[1] == 0 {
		return err
	}
	return &UnfinishedError{last[0], last[1], err}
}
