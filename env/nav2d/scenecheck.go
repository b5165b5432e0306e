package nav2d

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
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
	value := e.Value
	if v, ok := value.([]float64); ok {
		value = numbers(v)
	}
	return fmt.Sprintf("nav2d: %s is %v, want %s", e.Key, value, e.Want)
}

// numbers writes coordinates as people write them, without exponents wherever on Earth they are.
func numbers(all []float64) string {
	texts := make([]string, len(all))
	for k, v := range all {
		form := byte('f')
		if a := math.Abs(v); a >= 1e15 || a < 1e-6 && a > 0 {
			form = 'g'
		}
		texts[k] = strconv.FormatFloat(v, form, -1, 64)
	}
	return "[" + strings.Join(texts, " ") + "]"
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
	if !c.tells() {
		c.more++
		return
	}
	c.problems = append(c.problems, problem)
}

// tells reports whether a further problem is told.
func (c *sceneCheck) tells() bool { return len(c.problems) < maxProblems }

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

func patternNames() []string {
	var names []string
	for name := range patterns {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
