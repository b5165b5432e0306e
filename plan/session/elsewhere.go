package session

import (
	"errors"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/plan"
)

// elsewhere adds to the error of a goal of robot i that is covered where it fits nearby.
func (at situation) elsewhere(i int, halted map[int]error, err error) error {
	var covered *plan.CollisionError
	if !errors.As(err, &covered) || covered.Place != "goal" {
		return err
	}
	more := *covered
	more.Free = at.goalNear(i, halted, more.Need)
	return &more
}

// goalNear returns a place near the goal of robot i where it may end: off the goals of all who have theirs, and off where
// traffic ends.
func (at situation) goalNear(i int, halted map[int]error, size float64) *geom.Vec2 {
	others := func(k int) (geom.Vec2, bool) { return at.team.Robots[k].Goal, halted[k] == nil }
	return at.fits(i, at.team.Robots[i].Goal, size, others, func(path []geom.Vec2) geom.Vec2 { return path[len(path)-1] })
}

// startNear returns a place near the start of robot i where it may begin: off where all others and traffic begin.
func (at situation) startNear(i int, size float64) *geom.Vec2 {
	others := func(k int) (geom.Vec2, bool) { return at.team.Robots[k].Start, true }
	return at.fits(i, at.team.Robots[i].Start, size, others, func(path []geom.Vec2) geom.Vec2 { return path[0] })
}

// fits returns a place near another one where robot i may be, in the units of the task, as messages about something of a size
// tell it: within the workspace, off obstacles and off robots and traffic where they are then. It is nil where none is found
// among those that are tried.
func (at situation) fits(i int, near geom.Vec2, size float64, others func(k int) (geom.Vec2, bool), then func(path []geom.Vec2) geom.Vec2) *geom.Vec2 {
	t, r := at.team, at.team.Robots[i]
	room := t.Map.Bounds.Grow(-r.Radius)
	apart := func(p, q geom.Vec2, radius float64) bool { return p.Dist(q) > r.Radius+radius+t.Margin }
	var traffic []geom.Vec2
	for _, m := range t.Traffic {
		traffic = append(traffic, then(t.PathOf(m)))
	}
	free := func(p geom.Vec2) bool {
		if d, _ := t.Map.Clearance(p); !room.Contains(p) || !(d > r.Radius+t.Margin) {
			return false
		}
		for k, other := range t.Robots {
			if is, there := others(k); k != i && there && !apart(p, is, other.Radius) {
				return false
			}
		}
		for k, m := range t.Traffic {
			if !apart(p, traffic[k], m.Radius) {
				return false
			}
		}
		return true
	}
	return nearby.Free(near, room, r.Radius/50, nearby.Told(t.TaskFrame(), size), free)
}
