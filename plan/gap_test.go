package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Gaps of large teams are, bit for bit, those that comparing all pairs finds.
func TestSmallestGap(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for round := range 200 {
		scale := math.Exp(3 * r.NormFloat64())
		var team Team
		var ways [][]geom.Vec2
		for range 1 + r.IntN(24) {
			team.Robots = append(team.Robots, Robot{Radius: scale * (0.001 + 0.05*r.Float64())})
			from, to := at(scale*r.NormFloat64(), scale*r.NormFloat64()), at(scale*r.NormFloat64(), scale*r.NormFloat64())
			if r.IntN(4) == 0 {
				to = from
			}
			var way []geom.Vec2
			for h := range 9 {
				way = append(way, from.Lerp(to, float64(h)/8))
			}
			ways = append(ways, way)
		}
		if got, want := team.smallestGap(ways), smallestGapOfAll(team, ways); got != want {
			t.Fatalf("round %d: %d robots: gap %v, want %v", round, len(ways), got, want)
		}
	}
}

// smallestGapOfAll compares all pairs.
func smallestGapOfAll(team Team, ways [][]geom.Vec2) float64 {
	gap := math.Inf(1)
	for i := range ways {
		for j := range i {
			apart := ways[i][0].Dist(ways[j][0])
			for h := 1; h < len(ways[i]); h++ {
				s := geom.Segment{A: ways[i][h-1].Sub(ways[j][h-1]), B: ways[i][h].Sub(ways[j][h])}
				apart = min(apart, s.Distance(geom.Vec2{}))
			}
			gap = min(gap, apart-team.Robots[i].Radius-team.Robots[j].Radius)
		}
	}
	return gap
}
