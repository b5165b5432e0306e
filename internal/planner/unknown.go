package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// UnknownError says that cells of which a map knows nothing are in the way, and that a certified plan was found where
// these are free.
type UnknownError struct{ Err error }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%v; cells of which the map knows nothing are obstacles: with unknown: free under map, for robots that may drive there, there is a certified plan", e.Err)
}

// Unwrap returns what is in the way.
func (e *UnknownError) Unwrap() error { return e.Err }

// aboutObstacles reports whether fewer obstacles could help.
func aboutObstacles(err error) bool {
	var far *nav2d.UnreachableError
	var placed *nav2d.PlacementError
	return errors.As(err, &far) && math.IsInf(far.Way, 1) || errors.As(err, &placed) && !placed.Outside
}

// besideUnknown adds to a refusal of a scene that there is a plan where unknown cells of its map are free, if the scene does
// not say what they are and one was found.
func (t *PlanTask) besideUnknown(err error) error {
	if !aboutObstacles(err) || t.Request.Scene == nil || t.Request.RemedyTime < 0 || t.Options.Method.Searches() {
		return err
	}
	free := &PlanTask{Request: t.Request, unknownFree: true}
	if free.check() != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(t.Request.RemedyTime, remedyTime))
	defer cancel()
	if r, runErr := plan.Run(ctx, free.Team, free.Options); runErr != nil || r.Plan == nil {
		return err
	}
	var request *RequestError
	if errors.As(err, &request) { // which tells what it is about
		told := *request
		told.Err = &UnknownError{request.Err}
		return &told
	}
	return &UnknownError{err}
}
