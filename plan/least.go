package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Along a straight line from rest to rest the fastest curve takes steps between its control
// points that are as long as both limits allow from either end: min(v, a(h+½), a(n−2−h+½)) for
// step h of n−1, in units of time steps. It is nearer to the best motion in continuous time than
// a thousandth, but for a robot without an acceleration limit, which takes two thirds of a
// step longer. See [geom.NaturalSpline].

// profile returns the longest steps of a curve from rest to rest, with a highest speed of step
// and a highest acceleration of change, where it arrives with the last of them: within a
// curve that goes on to rest there, or at its end. Either limit may be +Inf.
func profile(steps int, step, change float64, inside bool) (lengths []float64, reach float64) {
	lengths = make([]float64, steps)
	for h := range lengths {
		left := float64(steps-1-h) + 0.5
		if inside {
			left += 0.5
		}
		lengths[h] = min(step, change*(float64(h)+0.5), change*left)
		reach += lengths[h] * share(h, steps, inside)
	}
	return lengths, reach
}

// share is what a step between control points counts for the way: the natural ends take a third
// of the first and of the last one.
func share(h, steps int, inside bool) float64 {
	c := 1.0
	if h == 0 {
		c -= 1.0 / 3
	}
	if h == steps-1 && !inside {
		c -= 1.0 / 3
	}
	return c
}

// spread returns a line's beginning, and where it is after each of the steps of a profile but the last, stretched to the
// length of the line: the control points of a curve along it, but for its end.
func spread(line []geom.Vec2, lengths []float64, reach float64, inside bool) []geom.Vec2 {
	steps, way := len(lengths), geom.Length(line)
	at, out := 0.0, []geom.Vec2{line[0]}
	for h, d := range lengths[:steps-1] {
		at += d * share(h, steps, inside) * way / reach
		out = append(out, alongLine(line, at))
	}
	return out
}

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
	if way == 0 || math.IsInf(speed, 1) && math.IsInf(acceleration, 1) {
		return 0
	}
	n := t.waypoints() - 1
	far := func(dt float64) bool {
		_, reach := profile(n, speed*dt, acceleration*dt*dt, false)
		return reach >= way
	}
	high := 1.0
	for !far(high) {
		high *= 2
	}
	for low := 0.0; high-low > 1e-12*high; {
		if mid := (low + high) / 2; far(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
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
