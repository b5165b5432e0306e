package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/project/separation"
)

// TeamError says why a team cannot be planned for.
type TeamError struct {
	Robot  string // "" for the whole team
	Reason string
}

func (e *TeamError) Error() string {
	if e.Robot == "" {
		return "plan: " + e.Reason
	}
	return fmt.Sprintf("plan: %s: %s", e.Robot, e.Reason)
}

// LimitError says that a robot has a speed limit that cannot be used.
type LimitError struct {
	Robot string
	Limit float64
	Want  string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("plan: speed limit of %s is %v, want %s", e.Robot, e.Limit, e.Want)
}

// CollisionError says that a robot collides before it has moved. Lengths are in the
// units of the task.
type CollisionError struct {
	Robot     string
	Place     string // "start" or "goal"
	With      string // "an obstacle", or where another robot or traffic is, as in "the goal of ada"
	Clearance float64
	Need      float64
	// Free is a place near it where the robot fits, as was tried; nil where none was found or looked for.
	Free *geom.Vec2
}

func (e *CollisionError) Error() string {
	clearance, need := told.Apart(e.Clearance, e.Need, 4)
	text := fmt.Sprintf("plan: the %s of %s is %s from %s, which needs %s", e.Place, e.Robot, clearance, e.With, need)
	if e.Clearance < 0 {
		text = fmt.Sprintf("plan: the %s of %s is %s deep in %s, and needs %s beside it", e.Place, e.Robot, told.Digits(-e.Clearance, 4), e.With, need)
	}
	return text + nearby.Fits("it", e.Free, e.Need)
}

// ReachError says that a robot cannot be at its goal in time. Lengths are in the units
// of a scene, in normalised units for published tasks.
type ReachError struct {
	Robot   string
	Missing float64 // distance that is left at the end
	Need    float64 // speed that would do
	Limit   float64
}

func (e *ReachError) Error() string {
	return fmt.Sprintf("plan: %s cannot reach its goal: at its limit of %s it ends %s short; it needs a speed of at least %s",
		e.Robot, told.AtMost(e.Limit, 4), told.Digits(e.Missing, 4), told.AtLeast(e.Need, 4))
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *ReachError) Is(target error) bool { return target == project.ErrInfeasible }

// MissError says that a robot cannot be at its goal in time with its acceleration and the
// velocities that it is given at both ends. Lengths are in the units of the task.
type MissError struct {
	Robot   string
	Missing float64 // distance from the goal at least
	Seconds float64
}

func (e *MissError) Error() string {
	return fmt.Sprintf("plan: %s cannot reach its goal: with its acceleration and its velocities at start and goal it is at least %s away after %s s",
		e.Robot, told.AtMost(e.Missing, 4), told.Seconds(e.Seconds))
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *MissError) Is(target error) bool { return target == project.ErrInfeasible }

// RestError says that a robot cannot go from rest to rest at its goal in time with its
// acceleration. Lengths are in the units of the task.
type RestError struct {
	Robot    string
	Range    float64 // how far it gets
	Distance float64 // of its goal
	Seconds  float64
	Least    float64 // duration of so many steps as waypoints that is enough, alone on the straight way; 0 for straight motion
}

func (e *RestError) Error() string {
	far, away := told.Apart(e.Range, e.Distance, 4)
	if e.Least > 0 {
		return fmt.Sprintf("plan: %s cannot reach its goal: from rest to rest it gets %s far in %s s and its goal is %s away: alone on the straight way a duration of %s s is enough",
			e.Robot, far, told.Seconds(e.Seconds), away, told.AtLeast(e.Least, 4))
	}
	return fmt.Sprintf("plan: %s cannot reach its goal: from rest to rest it gets %s far in %s s and its goal is %s away: it needs %s times the acceleration or %s times the duration at least",
		e.Robot, far, told.Seconds(e.Seconds), away, told.AtLeast(e.Distance/e.Range, 3), told.AtLeast(math.Sqrt(e.Distance/e.Range), 3))
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *RestError) Is(target error) bool { return target == project.ErrInfeasible }

// UnsafeError says that no certified plan was found, and what fails in the one that
// fails least.
type UnsafeError struct {
	Plan  string            // what was tried: "sample" or "stop"
	Worst *ConstraintMargin // in the units of the task
	// Nearest is what came nearest to a plan, not certified; nil for none.
	Nearest *Plan
	Err     error // of a search without paths; nil otherwise
	// Cells says why no ways on the cells of a map were found, "" where they were not searched for;
	// Seconds is the duration of a plan on those that were, more than it has, 0 for none.
	Cells   string
	Seconds float64
	// TimeLimit is the limit of time that ended the search for a plan, 0 where it came to its end.
	TimeLimit time.Duration
}

// Unwrap returns the error of a search.
func (e *UnsafeError) Unwrap() error { return e.Err }

func (e *UnsafeError) Error() string {
	m := e.Worst
	if e.Err != nil {
		return e.Err.Error()
	}
	if m == nil && e.TimeLimit > 0 {
		return fmt.Sprintf("plan: no %s was drawn in the time limit of %v", e.Plan, e.TimeLimit)
	}
	if m == nil {
		return fmt.Sprintf("plan: no %s is certified", e.Plan)
	}
	with := ""
	switch {
	case m.Other != "":
		with = " and " + m.Other
	case m.Nearest != nil:
		with = fmt.Sprintf(" and obstacle %d", *m.Nearest)
	}
	return fmt.Sprintf("plan: no %s is certified: %s of %s%s fails with a margin of %.3g at %s",
		e.Plan, m.Constraint, m.Robot, with, m.Margin, told.Place(m.At[0], m.At[1], e.size()))
}

// size returns the smallest radius of the robots, which says how exactly places are told; 0 where it is not
// known.
func (e *UnsafeError) size() float64 {
	if e.Nearest == nil || e.Nearest.Certificate.World == nil {
		return 0
	}
	robots := e.Nearest.Certificate.World.Robots
	return slices.MinFunc(robots, func(a, b separation.Robot) int { return cmp.Compare(a.Radius, b.Radius) }).Radius
}

// Is makes errors.Is(err, project.ErrInfeasible) true.
func (e *UnsafeError) Is(target error) bool { return target == project.ErrInfeasible }
