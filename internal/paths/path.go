package paths

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
)

// Path is the motion of one robot. Before its first point the robot stands there, and after
// its last one, too.
type Path struct {
	Robot string
	Times []float64 // of the points, in seconds, increasing; nil where the file knows none
	X     []geom.Vec2
	V     []geom.Vec2 // velocities at the points, per second; nil is straight from point to point
	// Headings are where it looks at the points, in radians; NaN at those that the file does not tell
	// of, nil where it tells of none.
	Headings []float64
}

// Curved reports whether the path is one of cubics.
func (p *Path) Curved() bool { return p.V != nil }

// Claim is what a file says of itself: what a judge compares.
type Claim struct {
	Certified bool               // the file says that its paths are certified
	Lateness  float64            // up to which they are, in seconds
	Margins   map[string]float64 // by constraint, as it says
	Radii     map[string]float64 // by robot, as it says
	Scene     string             // SHA-256 of the scene that it was made for, "" if it does not say
	Plan      string             // SHA-256 of the plan that it was written from, "" if it does not say
	Proof     *Proof             // nil where it gives none
}

// Proof is what a file has for a proof: rows of robot, other, from, to and a direction. Times are in
// seconds; robots count as in Robots, and others on to Traffic or among obstacles.
type Proof struct {
	Robots, Traffic  []string
	Pairs, Obstacles [][6]float64
	// Late are rows of robot, other, from, to, from and to of the other, and a direction, for bodies that are up to
	// Lateness seconds late.
	Late     [][8]float64
	Lateness float64
}

// File is what was read.
type File struct {
	Kind  Kind
	Paths []Path
	Claim *Claim   // nil where the file claims nothing
	Notes []string // what a user should know of how it was read, each a sentence
	// Unclear says that rows tell too little of the motion between them, by the accelerations that they have: it bends there
	// more than once.
	Unclear bool
}

// Kind is a kind of file.
type Kind string

// The kinds.
const (
	Plan     Kind = "plan.json"
	Table    Kind = "table (CSV)"
	ROSPath  Kind = "ROS nav_msgs/Path"
	MultiDOF Kind = "ROS trajectory_msgs/MultiDOFJointTrajectory"
	State    Kind = "VDA 5050 state"
	Order    Kind = "VDA 5050 order"
	TUM      Kind = "TUM trajectory"
	Steps    Kind = "result of multi-agent path finding"
)

// FormatError says what is wrong with the content of a file.
type FormatError struct {
	File    string
	Line    int // from 1; 0 when the file as a whole is at fault
	Message string
}

func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("paths: %s, line %d: %s", quote.Text(e.File), e.Line, e.Message)
	}
	return fmt.Sprintf("paths: %s: %s", quote.Text(e.File), e.Message)
}

func broken(file string, line int, format string, args ...any) error {
	return &FormatError{file, line, fmt.Sprintf(format, args...)}
}

// largest bounds all numbers, so that products of them are numbers too.
const largest = 1e12

// sizeOf returns the largest number of a point, its time and its velocity.
func sizeOf(x geom.Vec2, p *Path, k int) float64 {
	size := max(math.Abs(x.X), math.Abs(x.Y))
	if p.V != nil {
		size = max(size, math.Abs(p.V[k].X), math.Abs(p.V[k].Y))
	}
	if p.Times != nil && !math.IsInf(p.Times[k], 0) && !math.IsNaN(p.Times[k]) {
		size = max(size, math.Abs(p.Times[k]))
	}
	return size
}

// check returns an error unless a path has points, at times that increase, of finite
// numbers.
func (p *Path) check(file string) error {
	who := quote.Text(p.Robot)
	if len(p.X) == 0 {
		return broken(file, 0, "robot %s has no points", who)
	}
	for k, x := range p.X {
		if !x.IsFinite() || p.V != nil && !p.V[k].IsFinite() {
			return broken(file, 0, "robot %s: point %d is not of finite numbers", who, k+1)
		}
		if p.Headings != nil && math.IsInf(p.Headings[k], 0) {
			return broken(file, 0, "robot %s: heading %d is %v, want a finite number", who, k+1, p.Headings[k])
		}
		if size := sizeOf(x, p, k); size > largest {
			return broken(file, 0, "robot %s: point %d has the number %g, want at most %g", who, k+1, size, float64(largest))
		}
		if p.Times == nil {
			continue
		}
		if t := p.Times[k]; math.IsNaN(t) || math.IsInf(t, 0) {
			return broken(file, 0, "robot %s: time %d is %v, want a finite number", who, k+1, t)
		} else if k > 0 && !(t > p.Times[k-1]) {
			return broken(file, 0, "robot %s: time %d is %v, want one after %v", who, k+1, t, p.Times[k-1])
		}
	}
	return nil
}
