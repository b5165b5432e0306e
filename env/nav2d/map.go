package nav2d

import (
	"slices"
	"sync"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
)

// The time grid of trajectories and the robot of the published experiments.
const (
	Waypoints   = 64
	Step        = duration / Waypoints // seconds
	RobotRadius = 0.05

	duration = 5.0 // seconds
)

// Constants of the published collision fields.
const (
	gridNodes     = 400  // cells of 0.005
	distanceCap   = 1    // distance where no obstacle is near
	boundarySlack = 0.08 // the boundary counts 0.08 outside the workspace
)

// Map is a workspace with obstacles inside the square [-1, 1]² and, usually, a
// motion pattern. It is read-only and safe for concurrent use.
type Map struct {
	Name      string
	Bounds    geom.Box
	Obstacles geom.Union
	Pattern   Pattern      // nil when any motion will do
	Margins   TrialMargins // how trials are drawn
	// PlanningMargin is the distance from a robot's centre to an obstacle that
	// demonstrations keep.
	PlanningMargin float64
	// Facts is what the experiments know of a published map; zero for others.
	Facts facts
	// Cells are those of a map that is a grid; nil for others.
	Cells *Lattice

	index  *field.Index       // of the obstacles
	ways   *knownWays         // among them
	grid   func() *field.Grid // sampled when it is first asked for
	border geom.Box           // what robots do not leave
	edges  [4]float32         // of it: left, right, lower, upper
	guides [4]float32         // where the guidance takes the edges to be

	reference func() *Map // see Reference

	robot float64     // radius of who drives in demonstrations; 0 is that of the published ones
	stops []geom.Vec2 // between which it drives, half of the time; see For
}

// facts are what the experiments know of a published map beside its geometry.
type facts struct {
	// SpeedLimits of the published tables, the loosest first, in normalised units per
	// second.
	SpeedLimits []float64
	// ObstacleWeight is the weight of the obstacle costs in the reference
	// configuration.
	ObstacleWeight float64
	// HingeGamma and BarrierGamma are the default strengths of the two couplings of
	// robots, chosen on trials that the tables do not use. That of the hinge is weaker
	// where robots that push each other meet obstacles, that of the barrier, which acts
	// at any distance, where nothing else keeps a path in shape.
	HingeGamma, BarrierGamma float64
}

// TrialMargins are the smallest distances that randomly drawn starts (or goals)
// keep: between two robots, and from a robot's centre to an obstacle.
type TrialMargins struct{ Robots, Obstacles float64 }

var square = geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}

// NewMap returns a map over bounds, which must lie in [-1, 1]²; its distance
// field is sampled when it is needed. Robots of trials keep four radii apart and two from obstacles. As on
// the published maps, the boundary stands 0.08 outside the workspace.
func NewMap(name string, bounds geom.Box, obstacles geom.Union, pattern Pattern) *Map {
	return newMap(name, bounds, obstacles, pattern, boundarySlack)
}

// newMap returns a map whose boundary stands outside the workspace by slack.
func newMap(name string, bounds geom.Box, obstacles geom.Union, pattern Pattern, slack float64) *Map {
	b := bounds.Grow(slack)
	outer := bounds.Grow(boundarySlack)
	index := field.NewIndex(obstacles)
	m := &Map{
		Name: name, Bounds: bounds, Obstacles: obstacles, Pattern: pattern,
		Margins:        TrialMargins{Robots: 4 * RobotRadius, Obstacles: 2 * RobotRadius},
		PlanningMargin: GuideMargin(RobotRadius),
		index:          index,
		ways:           &knownWays{},
		grid:           sync.OnceValue(func() *field.Grid { return field.NewGrid(square, gridNodes, gridNodes, index, distanceCap) }),
		border:         b,
		edges:          edgesOf(b),
		guides:         edgesOf(outer),
	}
	m.reference = sync.OnceValue(m.withReferenceField)
	return m
}

// edgesOf returns the left, right, lower and upper edge of a box.
func edgesOf(b geom.Box) [4]float32 {
	return [4]float32{float32(b.Min.X), float32(b.Max.X), float32(b.Min.Y), float32(b.Max.Y)}
}

// Clearance returns the exact distance from p to the nearest obstacle and its
// gradient, +Inf where there is none.
func (m *Map) Clearance(p geom.Vec2) (float64, geom.Vec2) { return m.index.SignedDistance(p) }

// Near appends the numbers of the obstacles that may be within a box to dst, ascending, and
// returns it.
func (m *Map) Near(dst []int, b geom.Box) []int { return m.index.Near(dst, b) }

// With returns the map with further obstacles, which ways keep clear of: its sampled
// distance field, which guides samples, stays as it is.
func (m *Map) With(obstacles ...geom.Solid) *Map {
	more := *m
	more.Obstacles = append(slices.Clone(m.Obstacles), obstacles...)
	more.index, more.ways = field.NewIndex(more.Obstacles), &knownWays{}
	return &more
}

// For returns the map with demonstrations of a disk of some radius, which drives between some
// places half of the time, and else between any two points. It keeps a seventh of its radius
// beyond contact where there is room.
func (m *Map) For(radius float64, places []geom.Vec2) *Map {
	out := *m
	out.robot, out.PlanningMargin = radius, radius*8/7
	out.Margins = TrialMargins{Robots: 4 * radius, Obstacles: radius * 8 / 7}
	out.stops = nil
	free := out.freeSpace(radius)
	for _, p := range places {
		if free.contains(p) {
			out.stops = append(out.stops, p)
		}
	}
	return &out
}

// robotRadius returns the radius of who drives in demonstrations.
func (m *Map) robotRadius() float64 {
	if m.robot > 0 {
		return m.robot
	}
	return RobotRadius
}

// distances returns those to the left, right, lower and upper edge in float32
// arithmetic.
func distances(edges [4]float32, x, y float32) [4]float32 {
	return [4]float32{x - edges[0], edges[1] - x, y - edges[2], edges[3] - y}
}

// Room returns where the centre of a disk may be that stays within the boundary.
func (m *Map) Room(radius float64) geom.Box { return m.border.Grow(-radius) }

// Occupied reports whether a disk of radius margin at (x, y) collides: with an
// obstacle by the sampled distance field, or with the boundary: the bounds of a
// scene, to float32 rounding, or 0.08 outside the workspace of a published map. A
// point that is not finite is occupied.
func (m *Map) Occupied(x, y, margin float32) bool {
	if !(m.grid().Distance(x, y) >= margin) {
		return true
	}
	for _, d := range distances(m.edges, x, y) {
		if !(d >= margin) {
			return true
		}
	}
	return false
}

// PathFree is the test a planner applies to a path: every one of 5 interior
// points of every segment is free for a disk of the given radius, and every
// waypoint lies in the workspace. The waypoints themselves are not tested
// against obstacles. Path holds float32 coordinates.
func (m *Map) PathFree(path []geom.Vec2, radius float64) bool {
	for _, p := range path {
		if !m.Bounds.Contains(p) {
			return false
		}
	}
	for h := 1; h < len(path); h++ {
		for k := 1; k <= interpolants; k++ {
			x, y := interpolate(path[h-1], path[h], k)
			if m.Occupied(x, y, float32(radius)) {
				return false
			}
		}
	}
	return true
}

// interpolants is the number of interior points per segment in [Map.PathFree].
const interpolants = 5

// interpolate returns interior point k of a segment in float32 arithmetic.
func interpolate(a, b geom.Vec2, k int) (x, y float32) {
	t := float32(float64(k) / (interpolants + 1))
	lerp := func(a, b float32) float32 { return a + float32((b-a)*t) }
	return lerp(float32(a.X), float32(b.X)), lerp(float32(a.Y), float32(b.Y))
}
