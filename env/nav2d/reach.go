package nav2d

import (
	"errors"
	"fmt"
	"math"
)

// UnreachableError says that a robot cannot be at its goal at the last waypoint.
// Lengths are in scene units.
type UnreachableError struct {
	Robot    string
	Way      float64 // length of the shortest way found, +Inf when obstacles leave none
	Distance float64 // from start to goal as the crow flies, a lower bound of Way
	Range    float64 // how far the robot gets at its speed limit
	Seconds  float64 // how long it would need, or +Inf
}

func (e *UnreachableError) Error() string {
	if math.IsInf(e.Way, 1) {
		return fmt.Sprintf("nav2d: %s cannot reach its goal: obstacles leave no way wide enough", e.Robot)
	}
	return fmt.Sprintf("nav2d: %s cannot reach its goal in time: the way is %.4g long, %.3g more than it gets at its speed limit; it needs %.3g s",
		e.Robot, e.Way, e.Way-e.Range, e.Seconds)
}

// wayTolerance is by how much a found way may be longer than the shortest one.
const wayTolerance = 0.02

// CheckReach reports every robot that cannot be at its goal at the last of the
// given number of waypoints, dt seconds apart, under its speed limit, or because
// obstacles leave no way for its radius. A way that is too long by less than 2 %
// is let pass, because it may not be the shortest. The error joins an
// [UnreachableError] per robot.
func (t *Task) CheckReach(waypoints int, dt float64) error {
	var problems []error
	for _, r := range t.Robots {
		reach := r.Speed * dt * float64(waypoints-1)
		straight := r.Start.Dist(r.Goal)
		way := shortestWay(t.Map, r.Radius, r.Start, r.Goal)
		if straight <= reach && way*(1-wayTolerance) <= reach && !math.IsInf(way, 1) {
			continue
		}
		s := t.Frame.Scale
		problems = append(problems, &UnreachableError{
			Robot: r.Name, Way: way * s, Distance: straight * s, Range: reach * s, Seconds: way / r.Speed,
		})
	}
	return errors.Join(problems...)
}
