package planner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// TimeError says that a task has not time enough, and a duration for which a certified plan was
// found.
type TimeError struct {
	Err     error
	Seconds float64
}

func (e *TimeError) Error() string {
	return fmt.Sprintf("%v; with a duration of %s s there is a certified plan", e.Err, told.AtLeast(e.Seconds, 4))
}

// Unwrap returns what there is no time for.
func (e *TimeError) Unwrap() error { return e.Err }

// aboutTime reports whether more time could help.
func aboutTime(err error) bool {
	var far *nav2d.UnreachableError
	if errors.As(err, &far) {
		return !math.IsInf(far.Seconds, 1) && far.Seconds > 0
	}
	return isA[*plan.RestError](err) || isA[*plan.MissError](err) || isA[*plan.ReachError](err)
}

// timed adds a duration to a refusal of a scene for lack of time, one that was found by planning in
// the shortest time, where that did not take too long.
func (t *PlanTask) timed(err error) error {
	if !aboutTime(err) || t.scene == nil || t.Request.RemedyTime < 0 || t.Options.Method.Searches() {
		return err
	}
	team, teamErr := t.teamOf(t.scene)
	if teamErr != nil || plan.Motion(t.scene.Motion) == plan.Polyline {
		return err
	}
	team.Shortest = true
	for i := range team.Robots {
		if t.Request.Limit != nil {
			team.LimitTo(i, *t.Request.Limit)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(t.Request.RemedyTime, remedyTime))
	defer cancel()
	o := t.Options
	o.Gamma = t.Request.Gamma
	r, runErr := plan.Run(ctx, team, o)
	if runErr != nil || r.Plan == nil {
		return err
	}
	// Found is a plan of so many steps; a scene has one more.
	found := r.Plan.Times[1] * float64(len(r.Plan.Times))
	team.Shortest, team.Step = false, math.Nextafter(roundUp(found), math.Inf(1))/nav2d.Waypoints
	if r, runErr = plan.Run(ctx, team, o); runErr != nil || r.Plan == nil { // by those who do what is said
		return err
	}
	return &TimeError{err, roundUp(found)}
}

// roundUp returns a number of few digits that is a hundredth more.
func roundUp(seconds float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(seconds))-2)
	return math.Ceil(1.01*seconds/scale) * scale
}
