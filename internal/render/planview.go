package render

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/go-pcd/pcd/geom"
)

// PlanView is what pictures of a plan show: robots that cross a map together, in
// one or several joint samples. All lengths are in one unit, that of the map.
type PlanView struct {
	Title, Note string
	Map         MapView
	Step        float64 // seconds between points of paths
	Parts       int     // points of a path from waypoint to waypoint, more than one along curves; 0 is 1
	Robots      []RobotView
	// Samples are the joint samples to look at. Still pictures show the first; the
	// animated page lets the viewer choose.
	Samples []SampleView
	// Others are further joint samples, one path per robot each, that still
	// pictures draw thinly behind the first sample.
	Others [][][]geom.Vec2
	// LengthUnit and SpeedUnit name the units of the map and of speeds and limits,
	// for instance "m" and "m/s". Empty ones are not printed.
	LengthUnit, SpeedUnit string
}

// RobotView is a disk robot.
type RobotView struct {
	Name        string
	Radius      float64
	Start, Goal geom.Vec2
	Limit       float64 // highest speed, in units of [SampleView.Speeds]; 0 or +Inf for none
	// Acceleration is the highest, in lengths of the map per square second; 0 or +Inf for
	// none.
	Acceleration float64
}

// SampleView is a joint sample: one path per robot, all with the same number of
// waypoints, or points of curves, between which robots are shown to move straight.
type SampleView struct {
	Name  string        // for instance "sample 17"
	Paths [][]geom.Vec2 // [robot][waypoint]
	// Speeds holds the speed at which each waypoint is reached, [robot][waypoint],
	// that of the first being 0. Nil stands for lengths per second of the paths.
	Speeds [][]float64
	// Marks are the places where the sample breaks a rule, see [FindMarks]: nil when
	// nobody has looked, empty when it breaks none.
	Marks []Mark
	Facts []Fact // what to say about it: rates, the certificate
	// Order says who goes first where ways meet: the animated page then lets the viewer hold robots
	// back and shows who waits. Nil is none.
	Order *OrderView
}

// OrderView is the order of passages of the first so many robots.
type OrderView struct {
	Robots int `json:"robots"`
	// Passages are rows (i, s, j, u): robot i goes beyond point s of its path, with fractions, only
	// when j has reached point u of its own.
	Passages [][4]float64 `json:"passages"`
}

// Fact is a line of a summary.
type Fact struct {
	Name, Value string
	Tone        Tone
}

// Tone says whether a fact is good news.
type Tone int

// The tones of facts.
const (
	Plain Tone = iota
	Good
	Bad
)

// PlanViewError says why a plan cannot be drawn. Robot and Sample are -1 when
// the reason concerns none in particular.
type PlanViewError struct {
	Robot, Sample int
	Reason        string
}

func (e *PlanViewError) Error() string {
	where := ""
	if e.Sample >= 0 {
		where += fmt.Sprintf(" sample %d:", e.Sample)
	}
	if e.Robot >= 0 {
		where += fmt.Sprintf(" robot %d:", e.Robot)
	}
	return "render: plan:" + where + " " + e.Reason
}

// check returns a [PlanViewError] for the first thing that cannot be drawn.
func (v PlanView) check() error {
	fail := func(sample, robot int, format string, args ...any) error {
		return &PlanViewError{Sample: sample, Robot: robot, Reason: fmt.Sprintf(format, args...)}
	}
	if s := v.Map.Bounds.Size(); !(s.X > 0 && s.Y > 0) || math.IsInf(s.X, 0) || math.IsInf(s.Y, 0) {
		return fail(-1, -1, "bounds of %v by %v, want a positive size", s.X, s.Y)
	}
	if !(v.Step > 0) || math.IsInf(v.Step, 0) {
		return fail(-1, -1, "%v seconds between waypoints, want a positive number", v.Step)
	}
	if len(v.Robots) == 0 || len(v.Samples) == 0 {
		return fail(-1, -1, "%d robots and %d samples, want at least one of each", len(v.Robots), len(v.Samples))
	}
	for i, r := range v.Robots {
		if !(r.Radius > 0) || math.IsInf(r.Radius, 0) {
			return fail(-1, i, "radius %v, want a positive number", r.Radius)
		}
		if !r.Start.IsFinite() || !r.Goal.IsFinite() {
			return fail(-1, i, "start %v and goal %v, want finite numbers", r.Start, r.Goal)
		}
	}
	for k, s := range v.Samples {
		if robot, reason := v.checkSample(s); reason != "" {
			return fail(k, robot, "%s", reason)
		}
	}
	for k, paths := range v.Others {
		if robot, reason := checkPaths(paths, len(v.Robots), -1); reason != "" {
			return fail(len(v.Samples)+k, robot, "%s", reason)
		}
	}
	return nil
}

// checkSample returns what is wrong with a sample, "" when nothing is.
func (v PlanView) checkSample(s SampleView) (robot int, reason string) {
	waypoints := -1
	if len(s.Paths) > 0 {
		waypoints = len(s.Paths[0])
	}
	if robot, reason = checkPaths(s.Paths, len(v.Robots), waypoints); reason != "" {
		return robot, reason
	}
	if s.Speeds != nil && len(s.Speeds) != len(s.Paths) {
		return -1, fmt.Sprintf("speeds of %d robots, want %d", len(s.Speeds), len(s.Paths))
	}
	for i, speeds := range s.Speeds {
		if len(speeds) != waypoints {
			return i, fmt.Sprintf("%d speeds for %d waypoints", len(speeds), waypoints)
		}
		for h, u := range speeds {
			if !(u >= 0) || math.IsInf(u, 0) {
				return i, fmt.Sprintf("speed %v at waypoint %d, want a finite number, 0 or more", u, h)
			}
		}
	}
	for _, m := range s.Marks {
		if reason := m.check(len(v.Robots), waypoints); reason != "" {
			return -1, reason
		}
	}
	return -1, ""
}

// checkPaths returns what is wrong with the paths of a joint sample. A negative
// number of waypoints stands for any but none.
func checkPaths(paths [][]geom.Vec2, robots, waypoints int) (robot int, reason string) {
	if len(paths) != robots {
		return -1, fmt.Sprintf("%d paths for %d robots", len(paths), robots)
	}
	for i, p := range paths {
		if len(p) == 0 || waypoints >= 0 && len(p) != waypoints {
			return i, fmt.Sprintf("%d waypoints, want %d", len(p), max(waypoints, 1))
		}
		for h, x := range p {
			if !x.IsFinite() {
				return i, fmt.Sprintf("waypoint %d is (%v, %v), want finite numbers", h, x.X, x.Y)
			}
		}
	}
	return -1, ""
}

// speeds returns the given speeds of a sample or those of its paths.
func (v PlanView) speeds(s SampleView) [][]float64 {
	if s.Speeds != nil {
		return s.Speeds
	}
	out := make([][]float64, len(s.Paths))
	for i, p := range s.Paths {
		out[i] = make([]float64, len(p))
		for h := 1; h < len(p); h++ {
			out[i][h] = p[h].Dist(p[h-1]) / v.Step
		}
	}
	return out
}

// limited returns the speed limit, or 0 for none.
func limited(limit float64) float64 {
	if limit > 0 && !math.IsInf(limit, 1) {
		return limit
	}
	return 0
}

// names returns the printable names of the robots, numbered where they have none.
func (v PlanView) names() []string {
	out := make([]string, len(v.Robots))
	for i, r := range v.Robots {
		if out[i] = printable(r.Name); out[i] == "" {
			out[i] = fmt.Sprintf("robot %d", i)
		}
	}
	return out
}

// printable drops what cannot be drawn on one line of text.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s))
}

// shortNames drops the words that all names begin with: "robot 3" among other
// numbered robots is "3".
func shortNames(names []string) []string {
	if len(names) < 2 {
		return names
	}
	prefix := names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:strings.LastIndexAny(prefix, " -_")+1]
	out := make([]string, len(names))
	for i, n := range names {
		if out[i] = n[len(prefix):]; out[i] == "" {
			return names
		}
	}
	return out
}
