package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/maps"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/plan/session"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// refusals says with which code, and under which word, a class of errors is told.
var refusals = map[planner.Class]struct {
	code connect.Code
	word string
}{
	planner.Usage: {connect.CodeInvalidArgument, "usage"}, planner.Infeasible: {connect.CodeFailedPrecondition, "infeasible"},
	planner.Uncertified: {connect.CodeFailedPrecondition, "uncertified"}, planner.Limited: {connect.CodeFailedPrecondition, "uncertified"},
	planner.Missing: {connect.CodeNotFound, "missing"}, planner.Runtime: {connect.CodeInternal, "runtime"},
}

// refuse returns what a client is told of an error.
func refuse(err error) error {
	var busy *gate.BusyError
	var told *connect.Error
	switch {
	case err == nil || errors.As(err, &told):
		return err
	case errors.As(err, &busy):
		e := withRefusal(connect.CodeResourceExhausted, err, "busy", "")
		e.Meta().Set("Retry-After", fmt.Sprintf("%.0f", math.Ceil(busy.After.Seconds())))
		return e
	case isA[*tooManySessionsError](err):
		e := withRefusal(connect.CodeResourceExhausted, err, "busy", "")
		e.Meta().Set("Retry-After", "5")
		return e
	case isA[*endingError](err):
		e := withRefusal(connect.CodeUnavailable, err, "busy", "")
		e.Meta().Set("Retry-After", retryEnding)
		return e
	case isA[*jobs.FullError](err) || isA[*jobs.DiskFullError](err):
		e := withRefusal(connect.CodeResourceExhausted, err, "busy", "")
		e.Meta().Set("Retry-After", "60")
		return e
	case isA[*sizeError](err):
		return withRefusal(connect.CodeResourceExhausted, err, "usage", "")
	case isA[*noJobsError](err):
		return withRefusal(connect.CodeUnimplemented, err, "missing", "")
	case isA[*sessionError](err) || isA[*jobs.NotFoundError](err):
		return withRefusal(connect.CodeNotFound, err, "missing", "")
	case isA[*overdueError](err) || isA[*lateUpdateError](err):
		return withRefusal(connect.CodeDeadlineExceeded, err, "overdue", "")
	case errors.Is(err, context.DeadlineExceeded):
		return withRefusal(connect.CodeDeadlineExceeded, errors.New("there was no answer within the time that the call gave"), "overdue", "")
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, err)
	case isA[*fieldError](err) || isA[*jobs.SpecError](err) || isA[*modelNameError](err) || isA[*policyNameError](err) || isA[*policy.ObservationError](err) || isA[*policy.SamplingError](err) || isA[*maps.FormatError](err) || isA[*session.UpdateError](err) || isA[*nav2d.SceneError](err):
		return withRefusal(connect.CodeInvalidArgument, err, "usage", "")
	}
	remedy := ""
	var infeasible *planner.InfeasibleError
	if errors.As(err, &infeasible) {
		remedy = infeasible.Remedy
	}
	class, ok := refusals[planner.ClassOf(err)]
	if !ok {
		class = refusals[planner.Runtime]
	}
	return withRefusal(class.code, err, class.word, remedy)
}

// isA reports whether err is or wraps a T.
func isA[T error](err error) bool {
	var t T
	return errors.As(err, &t)
}

// withRefusal returns an error of the schema.
func withRefusal(code connect.Code, err error, word, remedy string) *connect.Error {
	r := &pb.Refusal{Class: word, Remedy: remedy, Reasons: reasons(err)}
	var request *planner.RequestError
	if errors.As(err, &request) && ofFile(request) {
		err = request.Err // which says where; a request has one scene, and its name tells nothing
	}
	e := connect.NewError(code, errors.New(text(err)))
	if d, err := connect.NewErrorDetail(r); err == nil {
		e.AddDetail(d)
	}
	return e
}

// ofFile reports whether what is wrong lies in a text that has places of its own.
func ofFile(e *planner.RequestError) bool {
	return (e.Field == "scene" || e.Field == "paths") && e.Err != nil
}

// packageName is what errors of Go begin with, also those that others wrap. It says nothing to clients.
var packageName = regexp.MustCompile(`(?m)(^|: )((serve|session|policy|paths|jobs|maps|planner|nav2d|plan|pcd|separation|modelfile): )+`)

// text returns what an error says.
func text(err error) string { return packageName.ReplaceAllString(err.Error(), "$1") }

// reasons lists everything that is wrong, each with where it is.
func reasons(err error) []*pb.Reason {
	var request *planner.RequestError
	if !errors.As(err, &request) {
		return listed(err)
	}
	key := strings.ReplaceAll(request.Field, "-", "_") // of the schema; the planner has that of a flag
	if request.Err == nil {
		return []*pb.Reason{{Message: request.Field + " " + request.Detail(), Key: key}}
	}
	all := listed(request.Err)
	for _, r := range all {
		if !ofFile(request) {
			r.Key = cmp.Or(r.Key, key)
		}
	}
	return all
}

// listed returns the reasons that an error joins.
func listed(err error) []*pb.Reason {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			var all []*pb.Reason
			for _, one := range joined.Unwrap() {
				all = append(all, reasons(one)...)
			}
			return all
		}
	}
	return []*pb.Reason{reason(err)}
}

// keyOfRobot is how messages begin about a robot that has a name.
var keyOfRobot = regexp.MustCompile(`^(robots\[\d+\]) \((.*)\)`)

// reason says what is wrong, and where.
func reason(err error) *pb.Reason {
	r := &pb.Reason{Message: text(err)}
	at := func(x, y float64) { r.X, r.Y = &x, &y }
	var value *nav2d.ValueError
	var placed *nav2d.PlacementError
	var close *nav2d.SeparationError
	var unreachable *nav2d.UnreachableError
	var team *plan.TeamError
	var collision *plan.CollisionError
	var reach *plan.ReachError
	var field *fieldError
	var job *jobs.SpecError
	var without *noPlanError
	var unsafe *plan.UnsafeError
	switch {
	case errors.As(err, &without):
		if m := without.Worst; m != nil {
			r.Robot = m.Robot
			at(m.At[0], m.At[1])
		}
	case errors.As(err, &unsafe):
		if m := unsafe.Worst; m != nil {
			r.Robot = m.Robot
			at(m.At[0], m.At[1])
		}
	case errors.As(err, &field):
		r.Key = field.Field
	case errors.As(err, &job):
		r.Key = job.Field
	case errors.As(err, &value):
		r.Key = keyOfRobot.ReplaceAllString(value.Key, "$1")
		if named := keyOfRobot.FindStringSubmatch(value.Key); named != nil {
			r.Robot = named[2]
		}
	case errors.As(err, &placed):
		r.Robot, r.Place = placed.Robot, placed.Place
		at(placed.At.X, placed.At.Y)
	case errors.As(err, &close):
		r.Robot, r.Place = close.Robots[0], close.Place[:len(close.Place)-1]
	case errors.As(err, &unreachable):
		r.Robot = unreachable.Robot
		if math.IsInf(unreachable.Way, 1) && unreachable.Wide > 0 {
			at(unreachable.Place.X, unreachable.Place.Y)
		}
	case errors.As(err, &team):
		r.Robot = team.Robot
	case errors.As(err, &collision):
		r.Robot, r.Place = collision.Robot, collision.Place
	case errors.As(err, &reach):
		r.Robot = reach.Robot
	}
	return r
}

// isRefusedPlan reports whether an error says that a task has no certified plan, in contrast
// to a request that could not be used.
func isRefusedPlan(err error) bool {
	c := planner.ClassOf(err)
	return c == planner.Infeasible || c == planner.Uncertified || c == planner.Limited
}
