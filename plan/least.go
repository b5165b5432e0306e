package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// limits returns the highest speed and acceleration of a robot in units of the task and
// seconds, +Inf for none.
func (t Team) limits(r Robot) (speed, acceleration float64) {
	unit := t.lengthOfUnit(r)
	speed, acceleration = r.Limit*unit, math.Inf(1)
	if r.Acceleration > 0 {
		acceleration = r.Acceleration * unit
	}
	return speed, acceleration
}

// lengthOfUnit returns the units of the task in a normalised unit of a robot's model, in the
// direction in which that is least.
func (t Team) lengthOfUnit(r Robot) float64 {
	half := r.Model.HalfRange()
	if t.IsScene() {
		return larger(half) * t.LengthUnit()
	}
	return min(half[0], half[1]) * t.LengthUnit()
}

// leastStep returns the least time between waypoints, in seconds, in which a robot gets so
// far along a straight line from rest to rest; 0 without limits.
func (t Team) leastStep(r Robot, way float64) float64 {
	speed, acceleration := t.limits(r)
	return profile.Least(t.waypoints()-1, speed, acceleration, way)
}

// rests reports whether a robot starts and ends at rest.
func (r Robot) rests() bool {
	return r.StartVelocity == (geom.Vec2{}) && r.GoalVelocity == (geom.Vec2{})
}

// leastSteps returns the least time between waypoints for all ways of a team, given in units of
// the task.
func (t Team) leastSteps(ways []float64) (least float64) {
	for i, r := range t.Robots {
		least = max(least, t.leastStep(r, ways[i]))
	}
	return least
}

// straightWays returns how far the goals are, in units of the task.
func (t Team) straightWays() (ways []float64) {
	for _, r := range t.Robots {
		ways = append(ways, r.Start.Dist(r.Goal)*t.LengthUnit())
	}
	return ways
}

// roundedWays returns the lengths of the shortest ways round obstacles that a lattice finds.
func (t Team) roundedWays() []float64 {
	ways := t.straightWays()
	if len(t.Map.Obstacles) == 0 {
		return ways
	}
	for i, r := range t.Robots {
		if way := t.round(r); way != nil {
			ways[i] = max(ways[i], geom.Length(way)*t.LengthUnit())
		}
	}
	return ways
}
