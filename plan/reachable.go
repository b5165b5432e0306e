package plan

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// checkMotion returns an error when a robot cannot be at its goal in time with its
// acceleration, or when traffic does not fit its model.
func (t Team) checkMotion(r Robot) error {
	if !(r.Acceleration >= 0) || math.IsInf(r.Acceleration, 0) {
		return &TeamError{r.Name, fmt.Sprintf("the acceleration is %v, want a positive number, or 0 for no limit", r.Acceleration)}
	}
	for _, m := range t.Traffic {
		if len(m.Path) != r.Model.horizon() {
			return &TeamError{m.Name, fmt.Sprintf("its path has %d points, want the %d waypoints of the model of %s", len(m.Path), r.Model.horizon(), r.Name)}
		}
	}
	if r.Acceleration == 0 || r.StartVelocity != (geom.Vec2{}) || r.GoalVelocity != (geom.Vec2{}) {
		return nil
	}
	if way, reach := r.Start.Dist(r.Goal), t.reachFromRest(r); way > reach {
		unit := t.LengthUnit()
		return &RestError{Robot: r.Name, Range: unit * reach, Distance: unit * way, Seconds: t.Step * float64(r.Model.horizon()-1)}
	}
	return nil
}

// reachFromRest returns an upper bound of how far a robot gets from rest to rest, in
// map units: no step is longer than so many accelerations from either end allow.
func (t Team) reachFromRest(r Robot) (reach float64) {
	half := r.Model.HalfRange().larger()
	change := r.Acceleration * t.Step * t.Step * half
	steps := r.Model.horizon() - 1
	for k := range steps {
		reach += min(r.Limit*t.Step*half, change*float64(min(k+1, steps-k)))
	}
	return reach
}
