package nav2d

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

// Numbers of a ring swap of robots of the published size in a workspace whose half
// side is 1 or more.
const (
	swapRadius = 0.8  // of the circle that starts are spread on
	swapSide   = 0.87 // of the dominant coordinate of starts and goals
	swapApart  = 0.15 // smallest distance of two starts where the workspace has to grow
	swapJitter = 0.1  // of the angle between two robots
	swapSmall  = 20   // robots that fit without growth
)

// RingSwap returns a task in which robots spread round the workspace [-1, 1]² swap
// sides: robot k starts at an angle of 2πk/n and a little, its larger coordinate moved
// to the side of a square, and its goal is the mirror image at the opposite side. The
// workspace of larger teams grows until neighbours keep their distance; scale is by
// how much robots of the published radius shrink when it is brought back to [-1, 1]².
func RingSwap(robots int, seed uint64) (t Trial, scale float64) {
	draw := rand.New(rand.NewPCG(seed, 0x72696e67))
	for k := range robots {
		angle := 2 * math.Pi / float64(robots) * (float64(k) + swapJitter*(2*draw.Float64()-1))
		start := geom.Vec2{X: swapRadius * math.Cos(angle), Y: swapRadius * math.Sin(angle)}
		goal := start
		if math.Abs(start.X) >= math.Abs(start.Y) {
			start.X = math.Copysign(swapSide, start.X)
			goal.X = -start.X
		} else {
			start.Y = math.Copysign(swapSide, start.Y)
			goal.Y = -start.Y
		}
		t.Starts, t.Goals = append(t.Starts, start), append(t.Goals, goal)
	}
	side := 1.0
	if robots > swapSmall {
		side = max(1, swapApart/min(closest(t.Starts), closest(t.Goals)))
	}
	return t, 1 / side
}

// closest returns the smallest distance of two points, +Inf for fewer.
func closest(points []geom.Vec2) float64 {
	d := math.Inf(1)
	for i, p := range points {
		d = min(d, nearest(points[:i], p))
	}
	return d
}

// crowdSize is the number of robots from which a crowd is made of smaller ones, and
// crowdDensity that of robots of the published size which are as dense.
const (
	crowdSize    = 24
	crowdDensity = 16
)

// CrowdScale returns the size of robots, relative to the published ones, in teams that
// would not fit otherwise: √(16/n) from 24 robots on.
func CrowdScale(robots int) float64 {
	if robots < crowdSize {
		return 1
	}
	return math.Sqrt(crowdDensity / float64(robots))
}

// ScaledTrials draws tasks as [Trials] does, with the margins of robots of a size
// relative to the published ones.
func ScaledTrials(m *Map, scale float64, robots, count int, seed uint32) ([]Trial, error) {
	crowd := *m
	crowd.Margins = TrialMargins{Robots: scale * m.Margins.Robots, Obstacles: scale * m.Margins.Obstacles}
	return Trials(&crowd, robots, count, seed)
}
