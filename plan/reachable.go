package plan

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// checkMotion returns an error when a robot cannot be at its goal in time with its
// acceleration, or when traffic does not fit its model.
func (t Team) checkMotion(r Robot) error {
	if !(r.Acceleration >= 0) || math.IsInf(r.Acceleration, 0) {
		return &TeamError{r.Name, fmt.Sprintf("the acceleration is %v, want a positive number, or 0 for no limit", r.Acceleration)}
	}
	for _, m := range t.Traffic {
		if wrong := m.check(t.waypoints()); wrong != "" {
			return &TeamError{m.Name, wrong}
		}
	}
	if r.Acceleration == 0 {
		return nil
	}
	if err := t.checkVelocities(r); err != nil {
		return err
	}
	seconds := t.Step * float64(t.waypoints()-1)
	way := r.Goal.Sub(r.Start)
	if t.curved() && r.rests() {
		return t.checkRest(r, way.Norm()*t.LengthUnit(), seconds)
	}
	if reach := t.reachAlong(r, way.Unit()); r.StartVelocity == (geom.Vec2{}) && r.GoalVelocity == (geom.Vec2{}) {
		if unit := t.LengthUnit(); way.Norm() > reach {
			return &RestError{Robot: r.Name, Range: unit * reach, Distance: unit * way.Norm(), Seconds: seconds}
		}
		return nil
	}
	miss := 0.0
	for k := range missDirections {
		s, c := math.Sincos(2 * math.Pi * float64(k) / missDirections)
		e := geom.Vec2{X: c, Y: s}
		miss = max(miss, way.Dot(e)-t.reachAlong(r, e))
	}
	if miss > 1e-9*(1+way.Norm()) {
		return &MissError{Robot: r.Name, Missing: t.LengthUnit() * miss, Seconds: seconds}
	}
	return nil
}

// checkRest returns an error when a curve from rest to rest does not get so far in time. This is
// exact: alone in an empty room a robot that gets far enough has a plan.
func (t Team) checkRest(r Robot, way, seconds float64) error {
	speed, acceleration := t.limits(r)
	if reach := profile.Fastest(t.waypoints()-1, speed*t.Step, acceleration*t.Step*t.Step, false).Reach; way > reach {
		least := t.leastStep(r, way) * (1 + 2*profile.Spare)
		return &RestError{Robot: r.Name, Range: reach, Distance: way, Seconds: seconds, Least: least * float64(t.waypoints())}
	}
	return nil
}

// checkVelocities returns an error when a robot is given a velocity beyond its speed limit that
// one step of its acceleration cannot bring within.
func (t Team) checkVelocities(r Robot) error {
	half := larger(r.Model.HalfRange())
	for _, end := range []struct {
		name     string
		velocity geom.Vec2
	}{{"start", r.StartVelocity}, {"goal", r.GoalVelocity}} {
		if v := end.velocity.Norm(); v > half*(r.Limit+r.Acceleration*t.Step)*(1+1e-9) {
			unit := t.LengthUnit()
			is, limit := told.Apart(unit*v, unit*half*r.Limit, 4)
			return &TeamError{r.Name, fmt.Sprintf("the velocity at the %s is %s and the speed limit %s: lower it, or raise the limit", end.name, is, limit)}
		}
	}
	return nil
}

// missDirections is the number of directions in which a robot with given velocities may get
// too far, or not far enough.
const missDirections = 64

// reachAlong returns an upper bound of how far a robot gets in a direction, in map units: no
// step is longer than its speed limit and so many accelerations from either end allow.
func (t Team) reachAlong(r Robot, direction geom.Vec2) (reach float64) {
	half := larger(r.Model.HalfRange())
	change := r.Acceleration * t.Step * t.Step * half
	first, final := t.Step*r.StartVelocity.Dot(direction), t.Step*r.GoalVelocity.Dot(direction)
	steps := t.waypoints() - 1
	for k := range steps {
		reach += min(r.Limit*t.Step*half, first+change*float64(k+1), final+change*float64(steps-k))
	}
	return reach
}
