package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/plan"
)

// newProgress returns a function that shows how much of a piece of work is done.
// It shows nothing when w is not a terminal, and tells
// the service whose job this is.
func newProgress(w io.Writer, what string) func(done, total int) {
	if job, ok := w.(jobMessages); ok {
		return func(done, total int) { job.tell(what, done, total) }
	}
	file := terminal.Of(w)
	if file == nil {
		return func(int, int) {}
	}
	var bar *progressbar.ProgressBar
	return func(done, total int) {
		if bar == nil || bar.GetMax() != total {
			bar = progressbar.NewOptions(total,
				progressbar.OptionSetWriter(file),
				progressbar.OptionSetDescription(what),
				progressbar.OptionSetPredictTime(true),
				progressbar.OptionShowCount(),
				progressbar.OptionThrottle(100*time.Millisecond),
				progressbar.OptionClearOnFinish(),
			)
		}
		_ = bar.Set(done) // a failing terminal is no reason to stop the work
	}
}

// newStageProgress returns a function that shows which piece of some work is being done,
// how many are behind it, and one that makes room for other lines. On other than terminals
// they do nothing.
func newStageProgress(w io.Writer) (show func(done, total int, what string), hide func()) {
	if job, ok := w.(jobMessages); ok {
		return func(done, total int, what string) { job.tell(what, done, total) }, func() {}
	}
	file := terminal.Of(w)
	if file == nil {
		return func(int, int, string) {}, func() {}
	}
	var bar *progressbar.ProgressBar
	show = func(done, total int, what string) {
		if bar == nil {
			bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(file), progressbar.OptionSetWidth(8),
				progressbar.OptionSetPredictTime(false), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
		}
		bar.Describe(what)
		_ = bar.Set(done)
	}
	hide = func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
	return show, hide
}

// newSearchProgress returns a function that shows how a search goes, on terminals.
func newSearchProgress(w io.Writer) func(plan.SearchReport) {
	file := terminal.Of(w)
	if file == nil {
		return nil
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(file), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	return func(r plan.SearchReport) {
		bar.Describe(fmt.Sprintf("search: %d conflicts, %d expansions, %d plans", r.Conflicts, r.Expanded, r.Plans))
		_ = bar.Add(1)
		if r.Status != plan.Searching {
			_ = bar.Finish()
		}
	}
}

// newTryingProgress returns a function that shows what is tried or made and for how long, until it is called with something
// else; "" is nothing. It shows nothing when w is not a terminal, and tells the service whose job this is.
func newTryingProgress(w io.Writer) func(what string) {
	if job, ok := w.(jobMessages); ok {
		return func(what string) {
			if what != "" {
				job.tell(what, 0, 0)
			}
		}
	}
	file := terminal.Of(w)
	if file == nil {
		return func(string) {}
	}
	var spinner *progressbar.ProgressBar
	return func(what string) {
		if spinner != nil {
			_ = spinner.Finish()
			spinner = nil
		}
		if what != "" {
			spinner = progressbar.NewOptions(-1, progressbar.OptionSetWriter(file), progressbar.OptionSetDescription("now: "+what),
				progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish())
		}
	}
}
