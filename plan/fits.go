package plan

import (
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/nearby"
)

// fits returns a place near a start or goal of robot i where it may be in that stead, in the units of the task, as messages
// about something of a size tell it: within the workspace, off obstacles and off where all others are. It is nil where none is
// found among those that are tried.
func (t Team) fits(i int, at func(Robot) geom.Vec2, size float64) *geom.Vec2 {
	r := t.Robots[i]
	room := t.Map.Bounds.Grow(-r.Radius)
	free := func(p geom.Vec2) bool {
		if !room.Contains(p) {
			return false
		}
		if d, _ := t.Map.Clearance(p); !(d > r.Radius+t.Margin) {
			return false
		}
		for k, other := range t.Robots {
			if k != i && p.Dist(at(other)) <= r.Radius+other.Radius+t.Margin {
				return false
			}
		}
		return true
	}
	return nearby.Free(at(r), room, r.Radius/50, nearby.Told(t.TaskFrame(), size), free)
}
