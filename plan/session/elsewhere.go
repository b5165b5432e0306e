package session

import (
	"errors"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/timed"
	"github.com/go-pcd/pcd/plan"
)

// elsewhere corrects where robot i fits, in the error of one that was looked at alone: that is the nearest place off obstacles,
// and may be the goal of another. It is not looked for again where it may stay.
func (at situation) elsewhere(i int, halted map[int]error, err error) error {
	var covered *plan.CollisionError
	if !errors.As(err, &covered) || covered.Free == nil || at.mayEnd(i, halted)(at.team.TaskFrame().ToMap(*covered.Free)) {
		return err
	}
	more := *covered
	more.Free = at.goalNear(i, halted, more.Need)
	return &more
}

// offStops returns why robot k is halted, on whose goal another comes to rest, with a place nearby that all who are halted
// leave free.
func (at situation) offStops(k int) error {
	err, radius := at.halted[k], at.team.Robots[k].Radius+at.team.Margin
	var covered *plan.CollisionError
	if !errors.As(err, &covered) {
		return err
	}
	free := at.mayEnd(k, at.halted)
	more := *covered
	more.Free = at.near(k, at.team.Robots[k].Goal, more.Need, func(p geom.Vec2) bool {
		for i, stop := range at.stops {
			if end := stop.Team.Robots[0]; i != k && p.Dist(end.Goal) <= radius+end.Radius {
				return false
			}
		}
		return free(p)
	})
	return &more
}

// goalNear returns a place near the goal of robot i where it may end: off the goals of all who have theirs, and off where
// traffic ends.
func (at situation) goalNear(i int, halted map[int]error, size float64) *geom.Vec2 {
	return at.near(i, at.team.Robots[i].Goal, size, at.mayEnd(i, halted))
}

// outsideError refuses a goal outside of the workspace, with a place nearby where the robot fits.
type outsideError struct {
	plan.TeamError
	free *geom.Vec2
}

func (e *outsideError) Unwrap() error { return &e.TeamError }

// toldPlace returns the place that an error tells a robot, in the units of the task; nil for none.
func toldPlace(err error) *geom.Vec2 {
	var covered *plan.CollisionError
	var outside *outsideError
	switch {
	case errors.As(err, &covered):
		return covered.Free
	case errors.As(err, &outside):
		return outside.free
	}
	return nil
}

// mayEnd reports of places whether robot i may end there: off the goals of all who have theirs, and off the places that
// others are told in the stead of theirs.
func (at situation) mayEnd(i int, halted map[int]error) func(p geom.Vec2) bool {
	others := func(k int) (geom.Vec2, bool) {
		if told := toldPlace(halted[k]); told != nil {
			return at.team.TaskFrame().ToMap(*told), true
		}
		return at.team.Robots[k].Goal, halted[k] == nil
	}
	return at.free(i, others, func(m plan.Mover) []geom.Vec2 {
		path := at.team.PathOf(m)
		return path[len(path)-1:]
	})
}

// startNear returns a place near the start of robot i where it may begin: off where all others begin, and off where
// traffic goes, which makes room for nobody.
func (at situation) startNear(i int, size float64) *geom.Vec2 {
	others := func(k int) (geom.Vec2, bool) { return at.team.Robots[k].Start, true }
	return at.near(i, at.team.Robots[i].Start, size, at.free(i, others, ahead))
}

// ahead returns the path of traffic from now on, in map units.
func ahead(m plan.Mover) []geom.Vec2 {
	if m.Times == nil {
		return m.Path
	}
	out := []geom.Vec2{timed.At(m.Times, m.Path, 0)}
	for k, t := range m.Times {
		if t > 0 {
			out = append(out, m.Path[k])
		}
	}
	return out
}

// fromPath returns how far a place is from a path.
func fromPath(p geom.Vec2, path []geom.Vec2) float64 {
	d := p.Dist(path[0])
	for k := range len(path) - 1 {
		d = min(d, geom.Segment{A: path[k], B: path[k+1]}.Distance(p))
	}
	return d
}

// near returns a place near another one that is free for robot i, in the units of the task, as messages about something of a
// size tell it. It is nil where none is found among those that are tried.
func (at situation) near(i int, p geom.Vec2, size float64, free func(p geom.Vec2) bool) *geom.Vec2 {
	r := at.team.Robots[i]
	return nearby.Free(p, at.team.Map.Bounds.Grow(-r.Radius), r.Radius/50, nearby.Told(at.team.TaskFrame(), size), free)
}

// free reports of places whether robot i may be there: within the workspace, off obstacles, off robots where they are
// then, and off the part of the path of traffic that matters then.
func (at situation) free(i int, others func(k int) (geom.Vec2, bool), part func(plan.Mover) []geom.Vec2) func(p geom.Vec2) bool {
	t, r := at.team, at.team.Robots[i]
	room := t.Map.Bounds.Grow(-r.Radius)
	apart := func(d, radius float64) bool { return d > r.Radius+radius+t.Margin }
	var traffic [][]geom.Vec2
	for _, m := range t.Traffic {
		traffic = append(traffic, part(m))
	}
	return func(p geom.Vec2) bool {
		if !room.Contains(p) {
			return false
		}
		if d, _ := t.Map.Clearance(p); !(d > r.Radius+t.Margin) {
			return false
		}
		for k, other := range t.Robots {
			if is, there := others(k); k != i && there && !apart(p.Dist(is), other.Radius) {
				return false
			}
		}
		for k, m := range t.Traffic {
			if !apart(fromPath(p, traffic[k]), m.Radius) {
				return false
			}
		}
		return true
	}
}
