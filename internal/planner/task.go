package planner

import (
	"context"

	"github.com/go-pcd/pcd/plan"
)

// Task is a request that is checked and run: a plan for a team ([PlanTask]), pairs of
// manipulation ([PushTask]), pairs of images ([PairTask]), two blocks ([ToyTask]),
// images ([GenerateTask], [EncodeTask], [DecodeTask]). S is its summary.
type Task[S any] interface {
	// Check returns what is wrong with the task, before anything is computed, and reads
	// what it needs. It is called once, before the other methods.
	Check() error
	// Files lists the files of the outcome but the manifest.
	Files() []string
	// Run computes the task. With a folder it writes the files there; nil writes none.
	// Where a task consists of pieces, those that are done are kept in the folder until all
	// are: the same task continues after an interruption.
	Run(ctx context.Context, w Watch, f *Folder) (*Outcome[S], error)
}

// Do checks a task and runs it.
func Do[S any](ctx context.Context, t Task[S], w Watch, f *Folder) (*Outcome[S], error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t.Run(ctx, w, f)
}

// Watch follows a task. Its functions may be nil.
type Watch struct {
	// Progress is called as a stage goes on: "sampling" with denoising steps or plans of
	// pairs, "denoising" and "decoding" with steps and pictures of pairs, "drawing" with steps of all images, and so on.
	Progress func(stage string, done, total int)
	// Estimate is called before the first step of pairs of images with the seconds that
	// they will take, and those that the published 25 pairs and 100 steps would.
	Estimate func(run, published float64)
	// Kept is called before the first piece is computed of a task that continues, with how many of all
	// pairs or images (what, in the singular) are kept, and where.
	Kept   func(what string, done, total int, path string)
	Search func(plan.SearchReport) // of methods that search
	// Trying is called with what is tried for a plan after sampling, as in "ways of arcs", or made of one, as in "the
	// proof" and "the files", whenever that changes, and with "" when it has ended.
	Trying func(what string)
}

// trying returns a function that tells what is tried, and where the last of it is kept.
func (w Watch) trying() (tell func(what string), last *string) {
	last = new(string)
	return func(what string) {
		*last = what
		if w.Trying != nil {
			w.Trying(what)
		}
	}, last
}

// progress reports a stage.
func (w Watch) progress(stage string, done, total int) {
	if w.Progress != nil {
		w.Progress(stage, done, total)
	}
}
