package nav2d

import (
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

// corridors is the pattern of the conveyor map: pass one of several corridors,
// each in its direction.
type corridors struct {
	// Passes lists the checkpoints of every corridor in the order of travel.
	Passes [][]geom.Vec2
	// Radius is how near a path must come to a checkpoint.
	Radius float64
}

var publishedCorridors = corridors{
	Passes: [][]geom.Vec2{
		{{X: 0.6, Y: 0.2}, {X: 0, Y: 0.2}, {X: -0.6, Y: 0.2}},
		{{X: -0.6, Y: -0.2}, {X: 0, Y: -0.2}, {X: 0.6, Y: -0.2}},
	},
	Radius: 0.2,
}

// Name implements [Pattern].
func (corridors) Name() string { return "corridors" }

// Adherence implements [Pattern]: 1 when the path comes near all checkpoints of
// some corridor in order, at most one per waypoint.
func (c corridors) Adherence(path []geom.Vec2) float64 {
	for _, pass := range c.Passes {
		reached := 0
		for _, p := range path {
			if reached < len(pass) && p.Dist(pass[reached]) < c.Radius {
				reached++
			}
		}
		if reached == len(pass) {
			return 1
		}
	}
	return 0
}

// In a demonstration the corridor takes corridorPoints-1 intervals, and robots
// hurry to it and from it.
const corridorPoints = 26

var corridorApproach = timing{Fixed: 2, PerLength: 4.5, Spread: 1.8}

// Skill implements [skillPattern]: a random corridor, passed at constant speed.
func (c corridors) Skill(rng *rand.Rand, _, _ geom.Vec2) skillRoute {
	pass := c.Passes[rng.IntN(len(c.Passes))]
	first, last := pass[0], pass[len(pass)-1]
	skill := skillRoute{Approach: corridorApproach}
	for k := range corridorPoints {
		skill.Points = append(skill.Points, first.Lerp(last, float64(k)/(corridorPoints-1)))
	}
	return skill
}
