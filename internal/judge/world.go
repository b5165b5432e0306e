package judge

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// World is who moves among what. Lengths are in one unit, times in seconds.
type World struct {
	Robots    []Robot
	Traffic   []Robot // of which only Name, Radius and Path count: others keep clear of it
	Obstacles []geom.Convex
	Border    *geom.Box // nil is none
	Margin    float64   // that robots keep from each other, from traffic and from obstacles
	// Until is the time up to which is judged, where no robot has a later point: they rest at
	// their ends then, and traffic may go on.
	Until float64
}

// Robot is a disk on its path, and what it has to keep to.
type Robot struct {
	Name         string
	Radius       float64
	Path         *paths.Path
	Inset        float64 // distance of the centre from the border
	Speed        float64 // limit per second; 0 is none
	Acceleration float64 // limit per second squared; 0 is none
	// TurnRate, in radians per second, and TurningRadius limit how it turns; 0 is none. One with a turn rate
	// alone may turn where it stands. Headings are where it looks at first and at last, in radians; nil is anywhere.
	TurnRate, TurningRadius float64
	Headings                [2]*float64
	// Ends are where it starts and where it has to be at last; nil is anywhere.
	Ends *[2]geom.Vec2
	// Before and After are its velocities before the first and after the last point, which
	// count where its acceleration is limited; zero is rest.
	Before, After geom.Vec2
}

// Kind is a kind of constraint.
type Kind string

// The kinds.
const (
	Speed        Kind = "speed"
	Acceleration Kind = "acceleration"
	Separation   Kind = "separation" // robots from each other and from traffic
	Obstacles    Kind = "obstacles"
	Border       Kind = "border"
	Start        Kind = "start"
	Goal         Kind = "goal"
	Turning      Kind = "turn rate"
	Curvature    Kind = "curvature"
	Heading      Kind = "heading"
)

// Kinds lists the kinds, in the order of verdicts.
var Kinds = []Kind{Speed, Acceleration, Separation, Obstacles, Border, Start, Goal, Turning, Curvature, Heading}

// Margin is the smallest room that a kind of constraint leaves, never more than there is,
// and where it is.
type Margin struct {
	Kind  Kind
	Value float64
	// Robot is the one concerned. Other is the other robot, counting on to traffic, or the
	// number of the obstacle; -1 for neither.
	Robot, Other int
	At           float64 // time
	Place        geom.Vec2
}

// Fault is where a constraint fails, from one time to another.
type Fault struct {
	Kind         Kind
	Robot, Other int     // as in Margin
	From, To     float64 // times; of paths without times numbers of points
	At           float64 // when it is worst
	Place        geom.Vec2
	// Gap is the distance between both there, negative where they overlap; of other kinds
	// what is left of the limit.
	Gap float64
	By  float64 // what is missing: Margin less Gap, or what exceeds a limit
	// Anytime says that one of both has no times: their ways come too near to each other.
	Anytime bool
}

// Verdict is the judgement of a world.
type Verdict struct {
	Margins []Margin // of every kind that there is
	Faults  []Fault  // by time
	Begin   float64  // of the first path
	End     float64  // of the last one
}

// Certified reports whether everything holds.
func (v *Verdict) Certified() bool { return len(v.Faults) == 0 }

// WorldError says what is wrong with a world.
type WorldError struct {
	Robot  string
	Reason string
}

func (e *WorldError) Error() string { return fmt.Sprintf("judge: %s: %s", e.Robot, e.Reason) }

// check returns an error for numbers that make no sense.
func (w *World) check() error {
	for _, all := range [2][]Robot{w.Robots, w.Traffic} {
		for _, r := range all {
			switch {
			case !(r.Radius > 0) || math.IsInf(r.Radius, 0):
				return &WorldError{r.Name, fmt.Sprintf("the radius is %v, want a positive number", r.Radius)}
			case r.Path == nil || len(r.Path.X) == 0:
				return &WorldError{r.Name, "it has no path"}
			case r.Path.Times != nil && len(r.Path.Times) != len(r.Path.X), r.Path.V != nil && len(r.Path.V) != len(r.Path.X), r.Path.V != nil && r.Path.Times == nil:
				return &WorldError{r.Name, "its path has not a time and a velocity for every point"}
			}
		}
	}
	return nil
}

// body returns robot i, or traffic, which counts on.
func (w *World) body(i int) *Robot {
	if i < len(w.Robots) {
		return &w.Robots[i]
	}
	return &w.Traffic[i-len(w.Robots)]
}

func (w *World) bodies() int { return len(w.Robots) + len(w.Traffic) }
