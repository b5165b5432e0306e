package nav2d

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/mt19937"
)

// PublishedSeed is the seed of the published trials, of which there are 100 per
// map and number of robots.
const PublishedSeed = 18

// Trial is a task for several robots: robot i goes from Starts[i] to Goals[i].
// Drawn coordinates are float32 numbers.
type Trial struct{ Starts, Goals []geom.Vec2 }

// maxDraws bounds the rejected points of one placement; a map that needs more
// has no room.
const maxDraws = 1_000_000

// crowdedError says that no free place was found for one more robot.
type crowdedError struct {
	Map   string
	Trial int
	Robot int
	Kind  string // "start" or "goal"
}

func (e *crowdedError) Error() string {
	return fmt.Sprintf("nav2d: map %s has no room for the %s of robot %d in trial %d: use fewer robots, smaller ones or smaller margins",
		e.Map, e.Kind, e.Robot, e.Trial)
}

// Trials draws tasks for a number of robots on a map: first all starts of a
// trial, then all goals, each uniform over the workspace less 0.05 at every side
// and redrawn until it keeps the map's margins. Starts and goals do not constrain
// each other. A longer series starts with the shorter one, and seed
// [PublishedSeed] gives the published trials bit for bit.
func Trials(m *Map, robots, count int, seed uint32) ([]Trial, error) {
	if robots < 0 {
		return nil, &optionError{Name: "robots", Value: robots}
	}
	if count < 0 {
		return nil, &optionError{Name: "count", Value: count}
	}
	draw := mt19937.New(seed)
	trials := make([]Trial, count)
	for i := range trials {
		var ok bool
		if trials[i].Starts, ok = drawPoints(draw, m, robots); !ok {
			return nil, &crowdedError{Map: m.Name, Trial: i, Robot: len(trials[i].Starts), Kind: "start"}
		}
		if trials[i].Goals, ok = drawPoints(draw, m, robots); !ok {
			return nil, &crowdedError{Map: m.Name, Trial: i, Robot: len(trials[i].Goals), Kind: "goal"}
		}
	}
	return trials, nil
}

// drawPoints places robots one after the other, and stops short when there is no
// room.
func drawPoints(draw *mt19937.Generator, m *Map, robots int) (points []geom.Vec2, ok bool) {
	area := m.Bounds.Grow(-RobotRadius)
	size := area.Size()
	for draws := 0; len(points) < robots; draws++ {
		if draws == maxDraws {
			return points, false
		}
		x := float32(float32(size.X)*draw.Float32()) + float32(area.Min.X)
		y := float32(float32(size.Y)*draw.Float32()) + float32(area.Min.Y)
		p := geom.Vec2{X: float64(x), Y: float64(y)}
		if m.grid().Distance(x, y) > float32(m.Margins.Obstacles) && nearest(points, p) > m.Margins.Robots {
			points = append(points, p)
		}
	}
	return points, true
}

// nearest returns the distance from p to the nearest of some points, +Inf if
// there are none.
func nearest(points []geom.Vec2, p geom.Vec2) float64 {
	d := math.Inf(1)
	for _, q := range points {
		d = min(d, p.Dist(q))
	}
	return d
}
