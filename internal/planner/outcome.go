package planner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/plan"
)

// Watch is told how far a request is. Its functions may be nil.
type Watch struct {
	Steps  func(done, total int)   // denoising steps, or plans of pairs
	Search func(plan.SearchReport) // of methods that search
}

// Outcome is what a request gives: a summary and everything behind it. S is
// [PlanSummary] or [PushSummary].
type Outcome[S any] struct {
	Name     string // of its files: "plan" or "push"
	Summary  *S
	Seed     uint64
	Settings any                       // everything that decides the numbers, for the manifest
	Inputs   map[string]manifest.Input // what was read, for the manifest
	Arrays   []dataset.Array           // all samples
	// Verdict is nil when the outcome keeps its promises and is feasible, else a
	// [pcd.UncertifiedError] or an [InfeasibleError]. The outcome is finished either way.
	Verdict error

	arraysName string
	setFiles   func([]string) // of the summary
	pictures   interface {
		figure() (*render.Figure, error)
		animation() (*render.Animation, error)
	}
}

// Figure returns the still picture.
func (o *Outcome[S]) Figure() (*render.Figure, error) { return o.pictures.figure() }

// Animation returns what happens over time, which can be written as a page, as the
// data of a page or as a GIF.
func (o *Outcome[S]) Animation() (*render.Animation, error) { return o.pictures.animation() }

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

// counted returns the steps of a watch, and what it was told last.
func counted(steps func(done, total int)) (watched func(done, total int), last *[2]int) {
	last = new([2]int)
	return func(done, total int) {
		*last = [2]int{done, total}
		if steps != nil {
			steps(done, total)
		}
	}, last
}

// stopped returns the error of a run that did not finish, with how far it got.
func stopped(err error, last *[2]int) error {
	if last[1] == 0 {
		return err
	}
	return &UnfinishedError{last[0], last[1], err}
}
