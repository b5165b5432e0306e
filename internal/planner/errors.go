package planner

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/project"
)

// RequestError says which value of a request cannot be used.
type RequestError struct {
	Field  string // as in the JSON of the request
	Value  any
	Reason string // "want …", or why it has no effect
	Err    error  // cause, or nil
}

func (e *RequestError) Error() string {
	if e.Field == "scene" && e.Err != nil { // whose value is what people call it
		return fmt.Sprintf("planner: %v: %v", e.Value, e.Err)
	}
	return "planner: " + e.Field + " " + e.Detail()
}

// Detail says what is wrong without the name of the field.
func (e *RequestError) Detail() string {
	if e.Err != nil {
		return fmt.Sprintf("is %v: %v", e.Value, e.Err)
	}
	return fmt.Sprintf("is %v, %s", e.Value, e.Reason)
}

func (e *RequestError) Unwrap() error { return e.Err }

// InfeasibleError says that no plan was found that is certified in continuous time,
// which constraint fails, where and for whom, and what may help.
type InfeasibleError struct {
	Samples int    // joint samples that were tried
	Reason  string // what fails in the plan that fails least
	Remedy  string // what was tried and helps, or that nothing that was tried does; "" is unknown
}

func (e *InfeasibleError) Error() string {
	tried := fmt.Sprintf("none of %d joint samples is safe in continuous time", e.Samples)
	if e.Samples == 1 {
		tried = "the joint sample is not safe in continuous time"
	}
	text := fmt.Sprintf("planner: %s: %s", tried, e.Reason)
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *InfeasibleError) Is(target error) bool { return target == project.ErrInfeasible }

// Class says what an error means for the caller.
type Class int

// The classes of errors.
const (
	OK          Class = iota
	Runtime           // something broke on the way, or a result cannot be written
	Usage             // the request cannot be used as it is
	Infeasible        // what was asked for cannot be had, or was not found
	Uncertified       // the result misses what it promises
	Limited           // the same, because a projection stopped at its iteration limit
	Missing           // a file or model is not there, or the folder for an output
	Interrupted       // by the caller
)

// ClassOf returns the class of an error.
func ClassOf(err error) Class {
	switch {
	case err == nil:
		return OK
	case isInterrupted(err):
		return Interrupted
	case errors.Is(err, project.ErrInfeasible), isA[*nav2d.UnreachableError](err), isA[*plan.SearchError](err):
		return Infeasible
	case errors.Is(err, pcd.ErrProjectorLimit):
		return Limited
	case errors.Is(err, pcd.ErrUncertified):
		return Uncertified
	case errors.Is(err, atomicfile.ErrPlace):
		return Usage
	case isA[*atomicfile.WriteError](err) && !errors.Is(err, fs.ErrNotExist):
		return Runtime
	case isUsage(err) || isContent(err):
		return Usage
	case errors.Is(err, fs.ErrNotExist):
		return Missing
	default:
		return Runtime
	}
}

// isUsage recognises what is wrong with a request, a task or a model.
func isUsage(err error) bool {
	broken := (isA[*plan.ModelError](err) || isA[*push.ModelError](err)) && !errors.Is(err, fs.ErrNotExist)
	return broken || errors.Is(err, regular.ErrKind) || errors.Is(err, nav2d.ErrNoRobots) ||
		isA[*RequestError](err) || isA[*manifest.OtherPiecesError](err) || isA[*pcd.ProblemError](err) || isA[*plan.TeamError](err) || isA[*plan.LimitError](err) ||
		isA[*plan.CollisionError](err) || isA[*push.OptionError](err) || isA[*pusht.StateError](err) ||
		isA[*policy.ObservationError](err) || isA[*policy.SamplingError](err) || isA[*policy.LimitError](err) || isA[*policy.StartError](err) ||
		isA[*pair.ExemplarError](err) || isA[*latent.SettingError](err) || isA[*nn.ShapeError](err)
}

// isA reports whether err is or wraps a T.
func isA[T error](err error) bool {
	var t T
	return errors.As(err, &t)
}
