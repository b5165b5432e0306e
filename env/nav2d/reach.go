package nav2d

import (
	"errors"
	"fmt"
	"math"

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
	// Where obstacles leave no way, Need is the width that the robot needs, with the
	// margin on both sides, Wide that of the widest way there is, 0 for none at all, and
	// Place where that is narrowest.
	Need, Wide  float64
	Place       geom.Vec2
	Start, Goal geom.Vec2
}

func (e *UnreachableError) Error() string {
	if math.IsInf(e.Way, 1) {
		return fmt.Sprintf("nav2d: %s cannot reach its goal: %s", e.Robot, e.noWay())
	}
	return fmt.Sprintf("nav2d: %s cannot reach its goal in time: the way is %.4g long, %.3g more than it gets at its speed limit; it needs a duration of %s s",
		e.Robot, e.Way, e.Way-e.Range, told.AtLeast(e.Seconds, 3))
}

// noWay says where obstacles leave no way, and what would do.
func (e *UnreachableError) noWay() string {
	if e.Wide == 0 {
		return fmt.Sprintf("obstacles leave no way from (%.4g, %.4g) to (%.4g, %.4g): open one that is %.3g wide, or move its start or goal",
			e.Start.X, e.Start.Y, e.Goal.X, e.Goal.Y, e.Need)
	}
	return fmt.Sprintf("obstacles leave no way wide enough: the widest is %.2g wide near (%.3g, %.3g), it needs %.3g there: widen it, or take a smaller robot or margin",
		e.Wide, e.Place.X, e.Place.Y, e.Need)
}

// wayTolerance is by how much a found way may be longer than the shortest one.
const wayTolerance = 0.02

// CheckReach reports every robot that cannot be at its goal at the last of the
// given number of waypoints, dt seconds apart, under its speed limit, or because
// obstacles leave no way for its radius and the margin. A way that is too long by less than 2 %
// is let pass, because it may not be the shortest. The error joins an
// [UnreachableError] per robot.
func (t *Task) CheckReach(waypoints int, dt float64) error {
	var problems []error
	for _, r := range t.Robots {
		reach := r.Speed * dt * float64(waypoints-1)
		straight := r.Start.Dist(r.Goal)
		way := shortestWay(t.Map, r.Radius, t.Margin, r.Start, r.Goal)
		if straight <= reach && way*(1-wayTolerance) <= reach && !math.IsInf(way, 1) {
			continue
		}
		s := t.Frame.Scale
		e := &UnreachableError{
			Robot: r.Name, Way: way * s, Distance: straight * s, Range: reach * s, Seconds: way / r.Speed * float64(waypoints) / float64(waypoints-1),
			Need: 2 * (r.Radius + t.Margin) * s, Start: t.Frame.FromMap(r.Start), Goal: t.Frame.FromMap(r.Goal),
		}
		if math.IsInf(way, 1) {
			share, at := widestWay(t.Map, r.Radius, t.Margin, r.Start, r.Goal)
			e.Wide, e.Place = share*e.Need, t.Frame.FromMap(at)
		}
		problems = append(problems, e)
	}
	return errors.Join(problems...)
}
