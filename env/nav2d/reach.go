package nav2d

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
)

// UnreachableError says that a robot cannot be at its goal at the last waypoint.
// Lengths are in scene units.
type UnreachableError struct {
	Robot    string
	Way      float64 // length of the shortest way found, +Inf when obstacles leave none
	Distance float64 // from start to goal as the crow flies, a lower bound of Way
	Range    float64 // how far the robot gets at its speed limit
	Seconds  float64 // duration of a plan in which it gets there, or +Inf
	// Where obstacles leave no way, Wide is the width of the widest way there is where
	// that is narrowest, 0 for none at all, Place is in the middle of that place, Between
	// are the two that bound it, and Need is the width that the robot needs there, with the
	// margin to obstacles.
	Need, Wide  float64
	Place       geom.Vec2
	Between     [2]string
	Start, Goal geom.Vec2
}

func (e *UnreachableError) Error() string {
	if math.IsInf(e.Way, 1) {
		return fmt.Sprintf("nav2d: %s cannot reach its goal: %s", e.Robot, e.noWay())
	}
	return fmt.Sprintf("nav2d: %s cannot reach its goal in time: the way is %s long, %.3g more than it gets at its speed limit; it needs a duration of %s s",
		e.Robot, told.Digits(e.Way, 4), e.Way-e.Range, told.AtLeast(e.Seconds, 3))
}

// noWay says where obstacles leave no way, and what would do.
func (e *UnreachableError) noWay() string {
	if e.Wide == 0 {
		return fmt.Sprintf("obstacles leave no way from %s to %s; it needs one that is %.3g wide",
			told.Place(e.Start.X, e.Start.Y, e.Need), told.Place(e.Goal.X, e.Goal.Y, e.Need), e.Need)
	}
	wide, need := told.Apart(e.Wide, e.Need, 4)
	return fmt.Sprintf("obstacles leave no way wide enough: the widest is %s wide, between %s and %s near %s, it needs %s there",
		wide, e.Between[0], e.Between[1], told.Place(e.Place.X, e.Place.Y, e.Need), need)
}

// wayTolerance is by how much a found way may be longer than the shortest one.
const wayTolerance = 0.02

// CheckReach reports every robot that cannot be at its goal at the last of the
// given number of waypoints, dt seconds apart, under its speed limit, or because
// obstacles leave no way for its radius and the margin. Whether there is a way is decided exactly;
// one that is too long by less than 2 % is let pass, because it may not be the
// shortest. The error joins an [UnreachableError] for each of the first robots, those
// without a way before those that need most time, and counts the others.
func (t *Task) CheckReach(waypoints int, dt float64) error {
	var problems []*UnreachableError
	if t.Shortest {
		dt = anyTime
	}
	for _, r := range t.Robots {
		steps := float64(waypoints - 1)
		if t.Motion == curved {
			steps -= 2.0 / 3 // which its smooth ends take
		}
		reach := r.Speed * dt * steps
		if p, blocked := blockingPassage(t.Map, r.Radius, t.Margin, r.Start, r.Goal); blocked {
			problems = append(problems, t.noWay(r, reach, p))
			continue
		}
		if way := t.tooFar(r, reach); way > 0 {
			s := t.Frame.Scale
			problems = append(problems, &UnreachableError{
				Robot: r.Name, Way: way * s, Distance: r.Start.Dist(r.Goal) * s, Range: reach * s, Seconds: r.secondsFor(way) * float64(waypoints) / steps,
				Start: t.Frame.FromMap(r.Start), Goal: t.Frame.FromMap(r.Goal),
			})
		}
	}
	slices.SortStableFunc(problems, func(a, b *UnreachableError) int { return cmp.Compare(b.Seconds, a.Seconds) })
	var c sceneCheck
	for _, p := range problems {
		c.add(p)
	}
	return c.err()
}

// curved is the motion of scenes along curves.
const curved = "curve"

// secondsFor returns the time that a straight way takes from rest to rest.
func (r TaskRobot) secondsFor(way float64) float64 {
	v, a := r.Speed, r.Acceleration
	switch {
	case a == 0:
		return way / v
	case way < v*v/a:
		return 2 * math.Sqrt(way/a)
	}
	return way/v + v/a
}

// tooFar returns the length of the way of a robot that gets so far if that is not
// enough, and 0 if it is.
func (t *Task) tooFar(r TaskRobot, reach float64) float64 {
	straight := r.Start.Dist(r.Goal)
	// Most robots have time enough for a way that is not the shortest.
	if straight <= reach && someWay(t.Map, r.Radius-latticeStep, t.Margin, r.Start, r.Goal)*(1-wayTolerance) <= reach*(1-1e-9) {
		return 0
	}
	// The lattice may miss the narrow part of the shortest way: only a way that is too long
	// also where obstacles are nearer by a spacing is.
	least := shortestWay(t.Map, r.Radius-latticeStep, t.Margin, r.Start, r.Goal)
	if math.IsInf(least, 1) {
		least = straight
	}
	if straight <= reach && least*(1-wayTolerance) <= reach {
		return 0
	}
	if way := shortestWay(t.Map, r.Radius, t.Margin, r.Start, r.Goal); !math.IsInf(way, 1) {
		return way
	}
	return least
}

// noWay returns the error for a robot that a passage keeps from its goal.
func (t *Task) noWay(r TaskRobot, reach float64, p passage) *UnreachableError {
	s := t.Frame.Scale
	if p.width < 1e-5*p.need { // what rounding leaves between obstacles that touch
		p.width = 0
	}
	return &UnreachableError{
		Robot: r.Name, Way: math.Inf(1), Seconds: math.Inf(1),
		Distance: r.Start.Dist(r.Goal) * s, Range: reach * s,
		Need: p.need * s, Wide: p.width * s, Between: p.names(len(t.Map.Obstacles)),
		Place: t.Frame.FromMap(p.at), Start: t.Frame.FromMap(r.Start), Goal: t.Frame.FromMap(r.Goal),
	}
}
