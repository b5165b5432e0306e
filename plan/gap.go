package plan

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/sweep"
)

// smallestGap returns the smallest gap between two robots that move straight from waypoint
// to waypoint at the same time, +Inf for one. Pairs are compared where they come near; how
// near that is doubles until the smallest gap cannot be elsewhere.
func (t Team) smallestGap(ways [][]geom.Vec2) float64 {
	extent := 0.0
	for _, way := range ways {
		for _, p := range way {
			extent = max(extent, math.Abs(p.X), math.Abs(p.Y))
		}
	}
	for near := extent / 32; ; near *= 2 {
		if gap := t.smallestGapOfThose(ways, near); gap <= near/2 || !(near < 4*extent) {
			return gap
		}
	}
}

// smallestGapOfThose is smallestGap of pairs whose surfaces come nearer than that.
func (t Team) smallestGapOfThose(ways [][]geom.Vec2, near float64) float64 {
	gap := math.Inf(1)
	s := sweep.New(len(ways))
	for h := range len(ways[0]) - 1 {
		segment := func(i int) geom.Segment { return geom.Segment{A: ways[i][h], B: ways[i][h+1]} }
		s.Pairs(func(i int) geom.Box {
			return segment(i).Bounds().Grow(t.Robots[i].Radius + near/2)
		}, func(i, j int) {
			a, b := segment(j), segment(i)
			apart := geom.Segment{A: a.A.Sub(b.A), B: a.B.Sub(b.B)}.Distance(geom.Vec2{})
			if h == 0 {
				apart = min(apart, a.A.Dist(b.A))
			}
			gap = min(gap, apart-t.Robots[j].Radius-t.Robots[i].Radius)
		})
	}
	return gap
}
