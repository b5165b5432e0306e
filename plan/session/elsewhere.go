package session

import (
	"errors"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// elsewhere adds to the error of a goal of robot i that is covered where it fits nearby: off obstacles, off the goals of all
// who have theirs, and off where traffic ends.
func (at situation) elsewhere(i int, halted map[int]error, err error) error {
	var covered *plan.CollisionError
	if !errors.As(err, &covered) || covered.Place != "goal" {
		return err
	}
	t, r := at.team, at.team.Robots[i]
	room, f := t.Map.Bounds.Grow(-r.Radius), t.TaskFrame()
	free := func(p geom.Vec2) bool {
		if d, _ := t.Map.Clearance(p); !room.Contains(p) || !(d > r.Radius+t.Margin) {
			return false
		}
		for k, other := range t.Robots {
			if k != i && halted[k] == nil && p.Dist(other.Goal) <= r.Radius+other.Radius+t.Margin {
				return false
			}
		}
		for _, m := range t.Traffic {
			if path := t.PathOf(m); !(p.Dist(path[len(path)-1]) > r.Radius+m.Radius+t.Margin) {
				return false
			}
		}
		return true
	}
	tell := func(p geom.Vec2) (given, there geom.Vec2) {
		given = f.FromMap(p)
		given.X, given.Y = told.AsPlace(given.X, given.Y, covered.Need)
		return given, f.ToMap(given)
	}
	told := *covered
	told.Free = nearby.Free(r.Goal, room, r.Radius/50, tell, free)
	return &told
}
