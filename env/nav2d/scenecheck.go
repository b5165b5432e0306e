package nav2d

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// ErrNoRobots says that a scene has no robot.
var ErrNoRobots = errors.New("nav2d: the scene has no robots")

// ValueError says that a key of a scene has a value it cannot have.
type ValueError struct {
	Key   string // for instance "robots[1].radius"
	Value any
	Want  string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("nav2d: %s is %v, want %s", e.Key, e.Value, e.Want)
}

// PlacementError says that a robot does not fit where it starts or ends: its
// centre is too near to an obstacle or outside the workspace. Lengths are in
// scene units.
type PlacementError struct {
	Robot     string
	Place     string // "start" or "goal"
	At        geom.Vec2
	Outside   bool    // outside the workspace, else at an obstacle
	Clearance float64 // distance of the centre to the obstacle, or to the workspace
	Radius    float64
}

func (e *PlacementError) Error() string {
	if e.Outside {
		return fmt.Sprintf("nav2d: the %s (%.4g, %.4g) of %s is %.3g outside the workspace", e.Place, e.At.X, e.At.Y, e.Robot, e.Clearance)
	}
	return fmt.Sprintf("nav2d: the %s (%.4g, %.4g) of %s is in an obstacle: clearance %.3g, radius %.3g; move it by %.3g",
		e.Place, e.At.X, e.At.Y, e.Robot, e.Clearance, e.Radius, e.Radius-e.Clearance)
}

// SeparationError says that two robots overlap where they start or end. Lengths
// are in scene units.
type SeparationError struct {
	Robots   [2]string
	Place    string // "starts" or "goals"
	Distance float64
	Need     float64
}

func (e *SeparationError) Error() string {
	return fmt.Sprintf("nav2d: the %s of %s and %s are %.3g apart, want at least %.3g, the sum of their radii",
		e.Place, e.Robots[0], e.Robots[1], e.Distance, e.Need)
}

// sceneCheck collects what is wrong with the values of a scene.
type sceneCheck struct{ problems []error }

func (c *sceneCheck) add(err error) { c.problems = append(c.problems, err) }

func (c *sceneCheck) number(key string, v float64, ok bool, want string) {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		c.add(&ValueError{Key: key, Value: v, Want: want})
	}
}

// point checks a pair of finite numbers and reports whether it is one.
func (c *sceneCheck) point(key string, v []float64, positive bool) bool {
	want := "two finite numbers"
	if positive {
		want = "two positive numbers"
	}
	ok := len(v) == 2 && point(v).IsFinite() && (!positive || v[0] > 0 && v[1] > 0)
	if !ok {
		c.add(&ValueError{Key: key, Value: v, Want: want})
	}
	return ok
}

// check finds the values that make no sense by themselves.
func (s *Scene) check() error {
	var c sceneCheck
	c.number("duration", s.Duration, s.Duration >= 0, "a positive number of seconds")
	s.checkNames(&c)
	s.checkBounds(&c)
	for i, b := range s.Boxes {
		key := fmt.Sprintf("boxes[%d]", i)
		c.point(key+".center", b.Center, false)
		if c.point(key+".size", b.Size, true) {
			c.number(key+".radius", b.Radius, b.Radius >= 0 && b.Radius <= min(b.Size[0], b.Size[1])/2, "at most half the shorter side")
		}
	}
	for i, o := range s.Circles {
		key := fmt.Sprintf("circles[%d]", i)
		c.point(key+".center", o.Center, false)
		c.number(key+".radius", o.Radius, o.Radius > 0, "a positive number")
	}
	if len(s.Robots) == 0 {
		c.add(ErrNoRobots)
	}
	for i, r := range s.Robots {
		key := fmt.Sprintf("robots[%d]", i)
		if r.Name != "" {
			key += " (" + r.Name + ")"
		}
		c.point(key+".start", r.Start, false)
		c.point(key+".goal", r.Goal, false)
		c.number(key+".radius", r.Radius, r.Radius >= 0, "a positive number")
		c.number(key+".speed", r.Speed, r.Speed >= 0, "a positive number")
	}
	return errors.Join(c.problems...)
}

func (s *Scene) checkNames(c *sceneCheck) {
	if s.Map != "" {
		if _, err := MapByName(s.Map); err != nil {
			c.add(err)
		}
	}
	if s.Pattern != "" && patterns[s.Pattern] == nil {
		c.add(unknownName("pattern", s.Pattern, patternNames()))
	}
	seen := map[string]int{}
	for i, r := range s.Robots {
		if first, ok := seen[r.Name]; ok && r.Name != "" {
			c.add(&ValueError{Key: fmt.Sprintf("robots[%d].name", i), Value: r.Name, Want: fmt.Sprintf("a name other than that of robots[%d]", first)})
		}
		seen[r.Name] = i
	}
}

// minAspect bounds how flat a workspace may be: the cells of its distance field
// are a four-hundredth of the longer side.
const minAspect = 0.05

// Sides must be long enough, relative to the coordinates, for positions to have
// digits left, and neither so long nor so short that arithmetic overflows.
const (
	minSide       = 1e-6
	maxCoordinate = 1e100
)

func (s *Scene) checkBounds(c *sceneCheck) {
	if s.Bounds == nil {
		return
	}
	if !c.point("bounds.min", s.Bounds.Min, false) || !c.point("bounds.max", s.Bounds.Max, false) {
		return
	}
	size := s.bounds().Size()
	largest := 0.0
	for _, v := range append(s.Bounds.Min, s.Bounds.Max...) {
		largest = max(largest, math.Abs(v))
	}
	if !(min(size.X, size.Y) > minSide*largest) || !(largest < maxCoordinate) || !(min(size.X, size.Y) > 1/maxCoordinate) {
		c.add(&ValueError{Key: "bounds.max", Value: s.Bounds.Max, Want: "both numbers well above those of bounds.min"})
		return
	}
	aspect := min(size.X, size.Y) / max(size.X, size.Y)
	if aspect < minAspect {
		c.add(&ValueError{Key: "bounds", Value: fmt.Sprintf("%g by %g", size.X, size.Y), Want: "sides that differ by a factor of at most 20"})
	}
	if s.Map != "" && aspect < 1-1e-9 {
		c.add(&ValueError{Key: "bounds", Value: fmt.Sprintf("%g by %g", size.X, size.Y), Want: "a square for map " + s.Map})
	}
}

// checkPlacement finds robots that do not fit where they start or end.
func (t *Task) checkPlacement() error {
	var c sceneCheck
	for i, r := range t.Robots {
		for k, place := range []string{"start", "goal"} {
			at := [2]geom.Vec2{r.Start, r.Goal}[k]
			if err := t.placementProblem(r, place, at); err != nil {
				c.add(err)
			}
			for _, other := range t.Robots[:i] {
				d := at.Dist([2]geom.Vec2{other.Start, other.Goal}[k])
				if need := r.Radius + other.Radius; !(d >= need) {
					c.add(&SeparationError{Robots: [2]string{other.Name, r.Name}, Place: place + "s",
						Distance: d * t.Frame.Scale, Need: need * t.Frame.Scale})
				}
			}
		}
	}
	return errors.Join(c.problems...)
}

func (t *Task) placementProblem(r TaskRobot, place string, at geom.Vec2) error {
	e := &PlacementError{Robot: r.Name, Place: place, At: t.Frame.FromMap(at), Radius: r.Radius * t.Frame.Scale}
	const rounding = 1e-12
	if outside, _ := t.Map.Bounds.SignedDistance(at); !(outside <= rounding) {
		e.Outside, e.Clearance = true, outside*t.Frame.Scale
		return e
	}
	if d, _ := t.Map.Clearance(at); !(d >= r.Radius) {
		e.Clearance = d * t.Frame.Scale
		return e
	}
	return nil
}

func patternNames() []string {
	var names []string
	for name := range patterns {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
