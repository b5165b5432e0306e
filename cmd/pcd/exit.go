package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/go-pcd/pcd/internal/experiment"
	nav2dexp "github.com/go-pcd/pcd/internal/experiment/nav2d"
	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

// The exit codes.
const (
	exitOK          = 0
	exitRuntime     = 1
	exitUsage       = 2
	exitInfeasible  = 10
	exitUncertified = 11
	exitLimit       = 12
	exitMissing     = 13
	exitInterrupted = 130
)

const exitCodeHelp = `Exit codes: 0 ok, 1 runtime error, 2 usage or specification error,
10 infeasible constraints, 11 certificate failed, 12 projector limit,
13 missing artefact, 130 interrupted (what was finished is written).`

// exitCodes are the exit codes of the classes of errors.
var exitCodes = map[planner.Class]int{
	planner.OK: exitOK, planner.Runtime: exitRuntime, planner.Usage: exitUsage, planner.Infeasible: exitInfeasible,
	planner.Uncertified: exitUncertified, planner.Limited: exitLimit, planner.Missing: exitMissing, planner.Interrupted: exitInterrupted,
}

// exitCode says how the program ends after err.
func exitCode(err error) int {
	var unverified *unverifiedError
	if errors.As(err, &unverified) {
		if len(unverified.v.Missing) > 0 {
			return exitMissing
		}
		return exitUncertified
	}
	class := planner.ClassOf(err)
	if unclear := class == planner.Runtime || class == planner.Missing; unclear && isUsage(err) {
		class = planner.Usage
	}
	return exitCodes[class]
}

// isUsage recognises mistakes of the caller that this program or an evaluation found,
// also in the files that it was given.
func isUsage(err error) bool {
	var usage usageError
	var spec *experiment.SpecError
	var mismatch *experiment.MismatchError
	var file *experiment.FileError
	var outside *nav2dexp.OutsideError
	var room *memory.Error
	var job *jobs.SpecError
	return errors.As(err, &room) || errors.As(err, &job) || errors.As(err, &outside) || errors.As(err, &usage) || errors.As(err, &spec) || errors.As(err, &mismatch) || errors.As(err, &file)
}

// ofFile says which file an error is about, unless the error does.
func ofFile(path string, err error) error {
	if e := new(fs.PathError); errors.As(err, &e) && e.Path == path {
		return err
	}
	return fmt.Errorf("%s: %w", quote.Lines(path), err)
}

// message is what the user reads, behind the name of the program: an interruption
// needs no more than its name.
func message(err error) string {
	var unfinished *planner.UnfinishedError
	var kept *planner.KeptError
	switch {
	case errors.Is(err, context.Canceled) && errors.As(err, &kept):
		return "pcd: interrupted: " + kept.Kept()
	case errors.Is(err, context.Canceled) && errors.As(err, &unfinished):
		return fmt.Sprintf("pcd: interrupted after %d of %s: nothing is written", unfinished.Done, plural.Of(unfinished.Total, "step"))
	case errors.Is(err, context.Canceled):
		return "pcd: interrupted"
	}
	var request *planner.RequestError
	if errors.As(err, &request) {
		return "pcd: " + requestMessage(request)
	}
	return "pcd: " + strings.TrimPrefix(err.Error(), "pcd: ") // the package of that name says it already
}

// requestMessage names a value of a request as the command line does.
func requestMessage(e *planner.RequestError) string {
	switch {
	case e.Field == "scene":
		return fmt.Sprintf("%v: %v", e.Value, e.Err)
	case e.Err != nil:
		return e.Err.Error()
	}
	return "--" + e.Field + " " + e.Detail()
}
