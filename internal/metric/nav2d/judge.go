package nav2d

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// World tells whether a disk of radius margin at (x, y) hits an obstacle or
// the boundary.
type World interface {
	Occupied(x, y, margin float32) bool
}

// Pattern scores from 0 to 1 how well the path of one robot follows the motion
// pattern of its world.
type Pattern interface {
	Adherence(path []geom.Vec2) float64
}

// Criteria says how joint trajectories of robots are judged. Positions are in
// the units of the world; speeds are in normalised units per second, as the
// published limits are.
type Criteria struct {
	World   World
	Pattern Pattern   // nil: every path adheres
	Radii   []float64 // one per robot
	// HalfRange is half the range of x and y that the normaliser maps to [-1, 1].
	HalfRange [2]float64
	// Step is the time between two waypoints in seconds.
	Step float64
}

// Sample is the judgement of one joint sample: one trajectory per robot.
type Sample struct {
	Meeting   int       // pairs of robots nearer than their radii allow at some waypoint
	Contacts  int       // waypoints at which a pair is that near, summed over pairs
	Hit       []bool    // per robot: hits an obstacle or the boundary at some waypoint
	Adherence []float64 // per robot
	TopSpeed  []float64 // per robot; NaN when there is no trajectory to judge
}

// NoResult is the judgement of a method that returned nothing for a trial: all
// robots collide and none adheres; the speed is left out of the averages.
// Source: the published treatment of MMD-CBS.
func NoResult(robots int) Sample {
	s := Sample{
		Meeting: robots * (robots - 1) / 2,
		Hit:     make([]bool, robots), Adherence: make([]float64, robots), TopSpeed: make([]float64, robots),
	}
	for p := range robots {
		s.Hit[p], s.TopSpeed[p] = true, math.NaN()
	}
	return s
}

// Safe reports whether no two robots meet.
func (s Sample) Safe() bool { return s.Meeting == 0 }

// Clear reports whether no robot hits an obstacle.
func (s Sample) Clear() bool {
	for _, hit := range s.Hit {
		if hit {
			return false
		}
	}
	return true
}

// Success reports whether the sample is safe and clear. Speeds, patterns and
// whether goals are reached do not enter.
func (s Sample) Success() bool { return s.Safe() && s.Clear() }

// speedTolerance is how much the published evaluation lets a path exceed its
// speed limit, in normalised units per second.
const speedTolerance = 5e-5

// Within reports whether robot p keeps a speed limit.
func (s Sample) Within(p int, limit float64) bool { return s.TopSpeed[p] <= limit+speedTolerance }

// Feasible reports whether the sample is a success in which every robot keeps
// its speed limit.
func (s Sample) Feasible(limits []float64) bool {
	for p, limit := range limits {
		if !s.Within(p, limit) {
			return false
		}
	}
	return s.Success()
}

// FirstFeasible returns the index of the first feasible sample of a trial, -1 if
// there is none.
func FirstFeasible(trial []Sample, limits []float64) int {
	for i, s := range trial {
		if s.Feasible(limits) {
			return i
		}
	}
	return -1
}

// Judge judges the samples of one trial. Robots holds one batch of shape
// [waypoints, channels] per robot, whose first two channels are unnormalised
// positions; row b of all of them is joint sample b. Only waypoints count, there
// is no interpolation. It returns a [ShapeError] or a [tensor.NonFiniteError]
// for trajectories that cannot be judged.
func (n Criteria) Judge(robots []tensor.Batch) ([]Sample, error) {
	if err := n.check(robots); err != nil {
		return nil, err
	}
	samples := make([]Sample, robots[0].N)
	paths := make([][]geom.Vec2, len(robots))
	for b := range samples {
		for p, batch := range robots {
			paths[p] = geom.Points(paths[p], batch.Sample(b), batch.Shape[1])
		}
		samples[b] = n.judge(paths)
	}
	return samples, nil
}

func (n Criteria) judge(paths [][]geom.Vec2) Sample {
	s := Sample{
		Hit: make([]bool, len(paths)), Adherence: make([]float64, len(paths)), TopSpeed: make([]float64, len(paths)),
	}
	for p, path := range paths {
		s.Hit[p] = n.hits(path, n.Radii[p])
		s.TopSpeed[p] = n.topSpeed(path)
		s.Adherence[p] = 1
		if n.Pattern != nil {
			s.Adherence[p] = n.Pattern.Adherence(path)
		}
		for q := range p {
			if c := contacts(path, paths[q], n.Radii[p]+n.Radii[q]); c > 0 {
				s.Meeting++
				s.Contacts += c
			}
		}
	}
	return s
}

func (n Criteria) hits(path []geom.Vec2, radius float64) bool {
	for _, x := range path {
		if n.World.Occupied(float32(x.X), float32(x.Y), float32(radius)) {
			return true
		}
	}
	return false
}

func contacts(a, b []geom.Vec2, distance float64) (count int) {
	for h := range a {
		if a[h].Dist(b[h]) < distance {
			count++
		}
	}
	return count
}

func (n Criteria) topSpeed(path []geom.Vec2) (top float64) {
	for h := 1; h < len(path); h++ {
		top = max(top, n.speed(path[h-1], path[h]))
	}
	return top
}

func (n Criteria) speed(a, b geom.Vec2) float64 {
	return math.Hypot((b.X-a.X)/n.HalfRange[0], (b.Y-a.Y)/n.HalfRange[1]) / n.Step
}

// Speeds returns the normalised speed at which each waypoint of a path is
// reached; that of the first is 0.
func (n Criteria) Speeds(path []geom.Vec2) []float64 {
	out := make([]float64, len(path))
	for h := 1; h < len(path); h++ {
		out[h] = n.speed(path[h-1], path[h])
	}
	return out
}

// ShapeError says why trajectories cannot be judged together.
type ShapeError struct {
	Robot  int
	Reason string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("metric: trajectories of robot %d: %s", e.Robot, e.Reason)
}

func (n Criteria) check(robots []tensor.Batch) error {
	if len(robots) == 0 || len(robots) != len(n.Radii) {
		return &ShapeError{Robot: len(robots), Reason: fmt.Sprintf("%d batches for %d radii", len(robots), len(n.Radii))}
	}
	for p, b := range robots {
		if len(b.Shape) != 2 || b.Shape[1] < 2 {
			return &ShapeError{Robot: p, Reason: fmt.Sprintf("shape %v, want [waypoints, 2 or more channels]", b.Shape)}
		}
		if b.N != robots[0].N || b.Shape[0] != robots[0].Shape[0] {
			return &ShapeError{Robot: p, Reason: fmt.Sprintf("%d of shape %v, but %d of shape %v for robot 0",
				b.N, b.Shape, robots[0].N, robots[0].Shape)}
		}
		if err := b.CheckFinite(); err != nil {
			return fmt.Errorf("metric: robot %d: %w", p, err)
		}
	}
	return nil
}
