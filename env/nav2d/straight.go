package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// straightPattern is the pattern of the empty map: a straight line from start to goal.
// The zero value is the published test.
type straightPattern struct {
	// Absolute makes the tolerance 0.1 instead of a tenth of the distance from
	// the first to the last waypoint: the test of the maps' original authors.
	Absolute bool
}

const straightTolerance = 0.1

// Name implements [Pattern].
func (straightPattern) Name() string { return "straight" }

// Adherence implements [Pattern]: the fraction of waypoints whose distance to
// the line through the first and the last waypoint is below the tolerance.
func (s straightPattern) Adherence(path []geom.Vec2) float64 {
	chord := path[len(path)-1].Sub(path[0])
	length := chord.Norm()
	tolerance := straightTolerance
	if !s.Absolute {
		tolerance *= length
	}
	near := 0
	for _, p := range path {
		if math.Abs(chord.Cross(p.Sub(path[0])))/(length+1e-8) < tolerance {
			near++
		}
	}
	return float64(near) / float64(len(path))
}

const lineStep = 0.05

// Demonstrate writes a demonstration to dst, [Waypoints] waypoints of 4 channels:
// equal steps of slightly more than 0.05 from start to goal, then waiting there.
// The velocity channels hold the difference to the next waypoint, not divided by
// the time step. From a distance of d the published demonstrations take
// floor(d/0.05)-1 steps; that rule doubles the speed of short ways, which it was
// never used for, so below [shortWay] steps are at most 0.0525.
func (straightPattern) Demonstrate(dst []float32, start, goal geom.Vec2) {
	d := start.Dist(goal)
	steps := max(1, int(math.Floor(d/lineStep))-1)
	if d < shortWay {
		steps = max(1, int(math.Ceil(d/shortWayStep)))
	}
	steps = min(steps, Waypoints-1)
	for h := range Waypoints {
		p := start.Lerp(goal, min(float64(h)/float64(steps), 1))
		dst[4*h], dst[4*h+1] = float32(p.X), float32(p.Y)
	}
	for h := range Waypoints {
		next := min(h+1, Waypoints-1)
		dst[4*h+2] = dst[4*next] - dst[4*h]
		dst[4*h+3] = dst[4*next+1] - dst[4*h+1]
	}
}

const (
	shortWay     = 0.9
	shortWayStep = 0.0525
)
