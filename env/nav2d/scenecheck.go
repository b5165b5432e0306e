package nav2d

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
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
// centre is too near to an obstacle or just touches it, or its rim leaves the bounds. Lengths are in
// scene units.
type PlacementError struct {
	Robot     string
	Place     string // "start" or "goal"
	At        geom.Vec2
	Outside   bool    // of the bounds, else at an obstacle
	Clearance float64 // distance of the centre to the obstacle, or by how much the rim leaves the bounds
	Radius    float64
	Margin    float64 // to obstacles
}

func (e *PlacementError) Error() string {
	if e.Outside {
		return fmt.Sprintf("nav2d: the %s %s of %s is too near to the bounds: with its radius of %.3g it leaves them by %.3g",
			e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, e.Radius, e.Clearance)
	}
	margin := ""
	if e.Margin > 0 {
		margin = fmt.Sprintf(" and margin %.3g", e.Margin)
	}
	need, how := e.Radius+e.Margin, "is in"
	clearance, radius := told.Apart(e.Clearance, e.Radius, 3)
	move := told.AtLeast(need-e.Clearance, 3)
	if e.Clearance > need*(1-touching) {
		how, clearance, radius, move = "touches", told.Digits(e.Clearance, 3), told.Digits(e.Radius, 3), told.Digits(2*room*need, 1)
	}
	return fmt.Sprintf("nav2d: the %s %s of %s %s an obstacle: clearance %s, radius %s%s; move it by %s",
		e.Place, told.Place(e.At.X, e.At.Y, e.Radius), e.Robot, how, clearance, radius, margin, move)
}

// Parts of what robots have to keep away.
const (
	// touching is what rounding may be: of places that have no more to spare nothing tells whether they are
	// apart, and there is no certificate. That some would pass by the way their numbers round is no plan.
	touching = 1e-9
	room     = 1e-5 // what is enough for a plan
)

// SeparationError says that two robots overlap where they start or end. Lengths
// are in scene units.
type SeparationError struct {
	Robots   [2]string
	Place    string // "starts" or "goals"
	Distance float64
	Need     float64
}

func (e *SeparationError) Error() string {
	if e.Distance > e.Need*(1-touching) {
		return fmt.Sprintf("nav2d: the %s of %s and %s touch: they are %s apart, want more than the sum of their radii and the margin; radii smaller by %s leave room",
			e.Place, e.Robots[0], e.Robots[1], told.Digits(e.Distance, 3), told.Digits(e.Need*room/2, 1))
	}
	distance, need := told.Apart(e.Distance, e.Need, 3)
	return fmt.Sprintf("nav2d: the %s of %s and %s are %s apart, want at least %s, the sum of their radii and the margin",
		e.Place, e.Robots[0], e.Robots[1], distance, need)
}

// sceneCheck collects what is wrong with the values of a scene.
type sceneCheck struct {
	problems []error
	more     int // problems beyond maxProblems
}

// maxProblems is how many problems of a scene are told; others are counted.
const maxProblems = 20

// add notes a problem.
func (c *sceneCheck) add(problem error) {
	if len(c.problems) == maxProblems {
		c.more++
		return
	}
	c.problems = append(c.problems, problem)
}

// moreError says how many further problems a scene has.
type moreError struct{ Count int }

func (e *moreError) Error() string {
	text := fmt.Sprint(e.Count)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return "nav2d: and " + text + " more"
}

// err joins the problems.
func (c *sceneCheck) err() error {
	if c.more > 0 {
		return errors.Join(append(c.problems, &moreError{c.more})...)
	}
	return errors.Join(c.problems...)
}

// value notes a value that cannot be had.
func (c *sceneCheck) value(key string, value any, want string) {
	c.add(&ValueError{Key: key, Value: value, Want: want})
}

// number checks a number between two limits.
func (c *sceneCheck) number(key string, v, least, most float64, want string) {
	if !(v >= least && v <= most) {
		c.value(key, v, want)
	}
}

// optional checks a number that may be left out.
func (c *sceneCheck) optional(key string, v *float64, least, most float64, want string) {
	if v != nil {
		c.number(key, *v, least, most, want)
	}
}

// point checks a pair of numbers of a usual size and reports whether it is one.
func (c *sceneCheck) point(key string, v []float64, positive bool) bool {
	want := "two numbers of a size below 1e12"
	if positive {
		want = "two positive numbers below 1e12"
	}
	ok := len(v) == 2
	for _, x := range v {
		ok = ok && math.Abs(x) <= maxCoordinate && (!positive || x > 0)
	}
	if !ok {
		c.value(key, v, want)
	}
	return ok
}

// place checks where a robot starts or ends.
func (c *sceneCheck) place(key string, p Place) {
	v := p.At
	if v == nil && p.Name != "" {
		c.value(key, shown(p.Name), "[x, y]: the map that knows places by name was not loaded")
		return
	}
	if len(v) == 3 {
		c.value(key, v, "x and y: robots are disks, which have no heading and no height; leave the third number out")
		return
	}
	c.point(key, v, false)
}

// check finds the values that make no sense by themselves.
func (s *Scene) check() error {
	var c sceneCheck
	s.checkDuration(&c)
	s.checkNames(&c)
	if s.loaded == nil && (s.Map.File != "" || s.Team != nil || len(s.Map.Places) > 0) {
		c.value("map.file", shown(s.firstFile()), "the files of the scene loaded before it is planned")
	}
	bounded := s.checkBounds(&c)
	for i, b := range s.Boxes {
		key := fmt.Sprintf("boxes[%d]", i)
		c.point(key+".center", b.Center, false)
		if c.point(key+".size", b.Size, true) {
			c.number(key+".radius", b.Radius, 0, min(b.Size[0], b.Size[1])/2, "at most half the shorter side")
		}
	}
	for i, o := range s.Circles {
		key := fmt.Sprintf("circles[%d]", i)
		c.point(key+".center", o.Center, false)
		c.number(key+".radius", o.Radius, math.SmallestNonzeroFloat64, maxCoordinate, "a positive number below 1e12")
	}
	s.checkSolids(&c)
	s.checkMotion(&c)
	for i, r := range s.Robots {
		s.checkRobot(&c, i, r, bounded)
	}
	return c.err()
}

// Radii and speeds of robots are at least a millionth of the longer side of the
// workspace, and of it per second: float32 has no digits for less.
const minShare = 1e-6

// checkRobot finds the values of a robot that make no sense. Its size and speed are
// compared with the bounds, if those are good.
func (s *Scene) checkRobot(c *sceneCheck, i int, r Robot, bounded bool) {
	key := fmt.Sprintf("robots[%d]", i)
	if r.Name != "" {
		key += " (" + r.Name + ")"
	}
	c.place(key+".start", r.Start)
	c.place(key+".goal", r.Goal)
	if !bounded {
		return
	}
	size := s.bounds().Size()
	least, most := minShare*max(size.X, size.Y), min(size.X, size.Y)/2
	c.optional(key+".radius", r.Radius, least, most,
		fmt.Sprintf("%.3g to %.3g, half the shorter side of the bounds; leave it out for a fortieth of the longer", least, most))
	c.optional(key+".speed", r.Speed, least, maxCoordinate, fmt.Sprintf("%.3g to %.3g; leave it out for no limit", least, maxCoordinate))
}

// maxUnits is the length of the longest name of a unit.
const maxUnits = 16

// printable reports whether a text can be printed on one line as it is.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) })
}

// maxName is the length of the longest name in bytes.
const maxName = 200

// name checks a name that is printed.
func (c *sceneCheck) name(key, text string) {
	if len(text) > maxName || !printable(text) {
		c.value(key, shown(text), fmt.Sprintf("a name on one line, of at most %d bytes", maxName))
	}
}

// shown makes a text fit for a message.
func shown(text string) string { return fmt.Sprintf("%.40q", text) }

func (s *Scene) checkNames(c *sceneCheck) {
	if s.Map.Name != "" {
		if _, err := MapByName(s.Map.Name); err != nil {
			c.add(err)
		}
	}
	if s.Pattern != "" && patterns[s.Pattern] == nil {
		c.add(unknownName("pattern", s.Pattern, patternNames()))
	}
	if s.Units != "" && (len(s.Units) > maxUnits || !printable(s.Units)) {
		c.value("units", shown(s.Units), fmt.Sprintf("a short word of at most %d letters, such as m", maxUnits))
	}
	c.name("name", s.Name)
	s.checkNamesOfBodies(c)
}

// minAspect bounds how flat a workspace may be: the cells of its distance field
// are a four-hundredth of the longer side.
const minAspect = 0.05

// Sides must be long enough, relative to the coordinates, for float64 to have digits left
// for what is certified: a side of a tenth of a metre ten thousand kilometres away. Lengths and times are of a size that float32 has room for, also for
// speeds and for the squares of either.
const (
	minSide       = 1e-8
	maxCoordinate = 1e12
	minDuration   = 1e-3
	maxDuration   = 1e6
)

// checkBounds checks the workspace and reports whether it is one.
func (s *Scene) checkBounds(c *sceneCheck) (ok bool) {
	if s.Bounds == nil {
		return true
	}
	if !c.point("bounds.min", s.Bounds.Min, false) || !c.point("bounds.max", s.Bounds.Max, false) {
		return false
	}
	size := s.bounds().Size()
	largest := 0.0
	for _, v := range append(s.Bounds.Min, s.Bounds.Max...) {
		largest = max(largest, math.Abs(v))
	}
	if !(min(size.X, size.Y) > minSide*largest) || !(min(size.X, size.Y) > 1/maxCoordinate) {
		c.value("bounds.max", s.Bounds.Max, "both numbers well above those of bounds.min")
		return false
	}
	aspect := min(size.X, size.Y) / max(size.X, size.Y)
	if aspect < minAspect {
		c.value("bounds", fmt.Sprintf("%g by %g", size.X, size.Y), "sides that differ by a factor of at most 20")
	}
	if s.Map.Name != "" && aspect < 1-1e-9 {
		c.value("bounds", fmt.Sprintf("%g by %g", size.X, size.Y), "a square for map "+s.Map.Name)
	}
	return true
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
				if need := r.Radius + other.Radius + t.Margin; !(d > need*(1+touching)) {
					c.add(&SeparationError{Robots: [2]string{other.Name, r.Name}, Place: place + "s",
						Distance: d * t.Frame.Scale, Need: need * t.Frame.Scale})
				}
			}
		}
		t.checkTraffic(&c, r)
	}
	return c.err()
}

func (t *Task) placementProblem(r TaskRobot, place string, at geom.Vec2) error {
	need := r.Radius + t.Margin
	e := &PlacementError{Robot: r.Name, Place: place, At: t.Frame.FromMap(at), Radius: r.Radius * t.Frame.Scale, Margin: t.Margin * t.Frame.Scale}
	if outside, _ := t.Map.Bounds.Grow(-r.Radius).SignedDistance(at); !(outside <= t.Frame.rounding()) {
		e.Outside, e.Clearance = true, outside*t.Frame.Scale
		return e
	}
	if d, _ := t.Map.Clearance(at); !(d > need*(1+touching)) {
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
