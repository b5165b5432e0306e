package nav2d

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

// Pattern is a motion pattern: how the robots of a map are expected to move.
type Pattern interface {
	// Name returns the name that scene files use.
	Name() string
	// Adherence scores how well a path follows the pattern, from 0 to 1. The path
	// holds the waypoints as stored, unnormalised. This is the data-adherence test
	// of the published evaluation.
	Adherence(path []geom.Vec2) float64
}

// skillPattern is a [Pattern] that demonstrations show by passing given points
// on their way from start to goal.
type skillPattern interface {
	Pattern
	// Skill draws the part of a demonstration that shows the pattern.
	Skill(rng *rand.Rand, start, goal geom.Vec2) skillRoute
}

// skillRoute is the middle of a demonstration: points that are visited one after the
// other at equal intervals of time. The way from the start to the first of them
// and the way from the last to the goal take the times that Approach says.
type skillRoute struct {
	Points   []geom.Vec2
	Approach timing
	// Hold is how many intervals a robot stays at the last point, at least; it stays
	// for as long as its ways leave time. 0 does not stay.
	Hold int
}

// timing is how long a way takes, in intervals between the points of a skill:
// Fixed of them and PerLength for every unit of its length. Demonstrations take
// up to Spread times as long or as short; 0 is 1, no variation.
type timing struct{ Fixed, PerLength, Spread float64 }

func (t timing) draw(rng *rand.Rand, length float64) (intervals int) {
	stretch := math.Pow(max(t.Spread, 1), 2*rng.Float64()-1)
	return max(1, int(math.Round(stretch*(t.Fixed+t.PerLength*length))))
}

// patterns lists the patterns by their names.
var patterns = map[string]Pattern{
	"straight":  straightPattern{},
	"circulate": circulate{},
	"corridors": publishedCorridors,
	"drops":     publishedDrops,
}

func score(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}
