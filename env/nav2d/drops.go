package nav2d

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// drops is the pattern of the drop-region map: dwell at one of several points.
type drops struct {
	Points []geom.Vec2
	// Radius is how near to a point a path must stay.
	Radius float64
}

// publishedDrops holds the points 0.15 in front of the four sides of the four
// blocks.
var publishedDrops = drops{
	Points: []geom.Vec2{
		{X: 0.4, Y: 0.75}, {X: 0.4, Y: -0.75}, {X: -0.4, Y: 0.75}, {X: -0.4, Y: -0.75},
		{X: 0.4, Y: 0.05}, {X: 0.4, Y: -0.05}, {X: -0.4, Y: 0.05}, {X: -0.4, Y: -0.05},
		{X: 0.75, Y: 0.4}, {X: 0.75, Y: -0.4}, {X: -0.75, Y: 0.4}, {X: -0.75, Y: -0.4},
		{X: 0.05, Y: 0.4}, {X: 0.05, Y: -0.4}, {X: -0.05, Y: 0.4}, {X: -0.05, Y: -0.4},
	},
	Radius: 0.15,
}

// Name implements [Pattern].
func (drops) Name() string { return "drops" }

// Adherence implements [Pattern]: 1 when a quarter of the path, in one piece,
// stays near one of the points.
func (d drops) Adherence(path []geom.Vec2) float64 {
	need := len(path) / 4
	for _, c := range d.Points {
		run := 0
		for _, p := range path {
			if p.Dist(c) >= d.Radius {
				run = 0
			} else if run++; run == need {
				return 1
			}
		}
	}
	return 0
}

// A demonstration dwells for the time that its ways leave, at least dropHold
// intervals. How long a way takes varies: a model that has seen slow ways with a
// short dwell can follow them when the speed is limited.
const dropHold = 24

var dropApproach = timing{Fixed: 2, PerLength: 9.2, Spread: 1.4}

// Skill implements [skillPattern]: wait at the point nearest to the start. The
// published demonstrations choose any; a model learns the nearest much sooner.
func (d drops) Skill(_ *rand.Rand, start, _ geom.Vec2) skillRoute {
	point := slices.MinFunc(d.Points, func(p, q geom.Vec2) int { return cmp.Compare(start.Dist(p), start.Dist(q)) })
	return skillRoute{Points: []geom.Vec2{point}, Approach: dropApproach, Hold: dropHold}
}
