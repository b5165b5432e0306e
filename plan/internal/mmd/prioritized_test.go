package mmd

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// line returns a path of five waypoints between two points.
func line(ax, ay, bx, by float64) []geom.Vec2 {
	var out []geom.Vec2
	for h := range 5 {
		out = append(out, geom.Vec2{X: ax, Y: ay}.Lerp(geom.Vec2{X: bx, Y: by}, float64(h)/4))
	}
	return out
}

// TestPrioritizedKeepsTheBestPathAmongEquals: a robot leaves its cheapest path only
// for one with strictly fewer conflicts, conflict-based search takes the first.
func TestPrioritizedKeepsTheBestPathAmongEquals(t *testing.T) {
	first := newBatch([]int{0}, line(-0.9, 0, 0.9, 0))
	far, near := line(-0.9, 0.8, 0.9, 0.9), line(-0.9, 0.5, 0.9, 0.5) // near is shorter
	crossing := line(-0.9, 0, 0, 0)                                   // the shortest, in conflict
	for name, c := range map[string]struct {
		second *Batch
		want   int
	}{
		"equal, the best is last":    {newBatch([]int{0, 1}, far, near), 1},
		"equal, the best is first":   {newBatch([]int{0, 1}, near, far), 0},
		"the best is in conflict":    {newBatch([]int{0, 1, 2}, crossing, far, near), 1},
		"only the best is free":      {newBatch([]int{1}, far, near), 1},
		"all are equally in trouble": {newBatch([]int{0, 1}, line(-0.9, 0, 0.9, 0), line(-0.9, 0, 0.9, 0)), 0},
	} {
		low := &canned{batches: [][]*Batch{{first}, {c.second}}}
		n, err := New(teamOfEqual(2), low, pp, Options{}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := n.robots[1].path[2], c.second.Path(c.want)[2]; got != want {
			t.Errorf("%s: passes %v, want sample %d with %v", name, got, c.want, want)
		}
	}
}
