package route

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Troubled returns the disks that touch something: each other, traffic or an obstacle, by
// more than rounding, at any moment between the waypoints.
func (t Task) Troubled(paths [][]geom.Vec2) (who []int) {
	around := wallsOf(t.Map)
	for i, p := range paths {
		bad := false
		for j, q := range paths {
			bad = bad || j != i && overlap(p, q, t.Disks[i].Radius+t.Disks[j].Radius+t.Margin) > 0
		}
		for _, m := range t.Traffic {
			bad = bad || overlapAlong(p, m.Course, t.Disks[i].Radius+m.Radius+t.Margin) > 0
		}
		for h := 1; h < len(p) && !bad; h++ {
			bad = !around.apart(t.Disks[i].Radius*(1-1e-6)+t.Margin, p[h-1], p[h])
		}
		if bad {
			who = append(who, i)
		}
	}
	return who
}

// tooFast returns the disks with a step that is longer than theirs may be.
func (t Task) tooFast(paths [][]geom.Vec2) (who []int) {
	for i, p := range paths {
		longest := 0.0
		for h := 1; h < len(p); h++ {
			longest = math.Max(longest, p[h].Dist(p[h-1]))
		}
		if longest > t.Disks[i].Step {
			who = append(who, i)
		}
	}
	return who
}
