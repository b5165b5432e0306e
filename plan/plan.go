package plan

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/plan/route"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Measures are those of the published tables: pairs that meet, obstacles that are hit,
// adherence to the pattern of the map, top speeds. They look at waypoints only.
type Measures = navmetric.Sample

// Plan is a joint trajectory with its certificate: a joint sample, repaired if need be.
type Plan struct {
	Sample int // number of the joint sample that it was made from
	// Trajectories holds one trajectory per robot, in the units of the task, counted from
	// [Team.Origin]: position and velocity at the waypoints or, of curves, at the knots.
	Trajectories []tensor.Batch
	// Curves are the motions of the robots, in the units of the task and seconds, where
	// Team.Motion is [Curve]: exactly what is certified. Trajectories are their knots in float32.
	Curves      []geom.Curve
	Times       []float64 // of the waypoints, in seconds
	Judged      Measures  // of the tables
	Certificate Certificate
	Changes     []Change // what was done to the sample, in order; none when it is as sampled
	// Displacement is the largest distance of a waypoint from that of the sample, in
	// the units of the task.
	Displacement float64
	// ShortOfMemory says that a search for new ways ended because it would have taken more
	// than [Options.Memory].
	ShortOfMemory bool
	Rounds        int     // convex programs solved, over all attempts
	Seconds       float64 // of repair and judgement
	Length        float64 // of all ways together, in the units of the task

	control []tensor.Batch // the waypoints that were judged: of curves their control points
	cells   route.CellWays // what the search on cells found
	onCells bool           // the ways of the plan are those
}

// Certificate says whether a joint trajectory keeps all constraints in continuous
// time, with robots moving straight from one stored waypoint to the next, or along their
// curves. Gaps are never larger than the exact ones.
type Certificate struct {
	Certified bool `json:"certified"`
	// Margin is the distance that is kept beyond contact, in the units of the task.
	Margin float64 `json:"margin"`
	// Lateness is how late robots and traffic may be, in seconds, so that all of it still holds:
	// each by something else, and at any time by something else. 0 is on time.
	Lateness float64              `json:"lateness,omitempty"`
	Margins  []ConstraintMargin   `json:"margins"` // of every kind of constraint that there is
	World    *separation.World    `json:"-"`
	Proof    separation.Witnesses `json:"-"` // of a certified trajectory

	worst     int     // of Margins; kinds are compared as lengths, see [separation.Verdict.Worst]
	violation float64 // by how much that one fails, as a length in the units of the task; 0 or less when none does
}

// ConstraintMargin is the smallest margin of a kind of constraint, and where it is.
type ConstraintMargin struct {
	Constraint string `json:"constraint"` // speed, acceleration, separation, obstacles, border, turn rate, curvature or heading
	// Margin is a length in the units of the task, of speed and acceleration per second
	// and per second squared; those of published tasks are in normalised units. Of turn rates it is
	// in radians per second, of curvatures in the inverse of lengths, of headings in radians.
	Margin  float64    `json:"margin"`
	Robot   string     `json:"robot"`
	Other   string     `json:"other,omitempty"`    // the other robot, or what moves
	Nearest *int       `json:"obstacle,omitempty"` // number of the obstacle
	Segment int        `json:"segment"`            // from this waypoint to the next
	At      [2]float64 `json:"at"`                 // where the robot is there, in the units of the task
}

// Worst returns the margin of the constraint that fails most, or holds the closest, as
// [separation.Verdict.Worst] compares kinds of different units; nil without constraints.
func (c Certificate) Worst() *ConstraintMargin {
	if len(c.Margins) == 0 {
		return nil
	}
	return &c.Margins[c.worst]
}

// Kept reports whether the constraint holds, with separation and obstacles at a
// distance margin.
func (m ConstraintMargin) Kept(margin float64) bool {
	if m.Constraint == separation.Bodies.String() || m.Constraint == separation.Obstacles.String() {
		return m.Margin >= margin
	}
	return m.Margin >= 0
}

// Gap returns the smallest margin of a kind of constraint, nil if there is none.
func (c Certificate) Gap(kind separation.Kind) *float64 {
	for _, m := range c.Margins {
		if m.Constraint == kind.String() {
			return &m.Margin
		}
	}
	return nil
}

// certificate judges row k of trajectories, and proves it if it is certified.
func (t Team) certificate(ctx context.Context, w *separation.World, x []tensor.Batch, k int) (c Certificate, err error) {
	c = t.certificateOf(w, w.Judge(x, k), x, k)
	if c.Certified {
		c.Proof, _, err = w.Witness(ctx, x, k)
	}
	return c, err
}

// certificateOf returns what a verdict on row k of trajectories says, without a proof.
func (t Team) certificateOf(w *separation.World, v separation.Verdict, x []tensor.Batch, k int) Certificate {
	c := Certificate{Certified: v.Certified(w.Margin), Margin: w.Margin, Lateness: lateSeconds(w, t.Step), World: w, violation: v.Violation(w.Margin)}
	for kind, m := range v {
		if !math.IsInf(m.Value, 1) {
			if separation.Kind(kind) == v.Worst(w.Margin) {
				c.worst = len(c.Margins)
			}
			c.Margins = append(c.Margins, t.constraintMargin(separation.Kind(kind), m, x, k))
		}
	}
	return c
}

func (t Team) constraintMargin(kind separation.Kind, m separation.Margin, x []tensor.Batch, k int) ConstraintMargin {
	at := x[m.Robot].Sample(k)[m.Segment*channels:] // of a curve a control point: about there
	out := ConstraintMargin{
		Constraint: kind.String(), Margin: m.Value, Robot: t.Robots[m.Robot].Name, Segment: m.Segment,
		At: [2]float64{float64(at[0]) + t.Origin().X, float64(at[1]) + t.Origin().Y},
	}
	switch kind {
	case separation.Speed:
		out.Margin *= t.unitOf(t.Robots[m.Robot]) / t.Step
	case separation.Acceleration:
		out.Margin *= t.unitOf(t.Robots[m.Robot]) / (t.Step * t.Step)
	case separation.Turning:
		out.Margin /= t.Step
	case separation.Bodies:
		out.Other = t.bodyName(m.Other)
	case separation.Obstacles:
		out.Nearest = &m.Other
	}
	return out
}

// bodyName returns the name of a robot or of what moves among them.
func (t Team) bodyName(i int) string {
	if i < len(t.Robots) {
		return t.Robots[i].Name
	}
	return t.Traffic[i-len(t.Robots)].Name
}

// Change is something that was done to a joint sample to make it safe.
type Change struct {
	Kind   ChangeKind `json:"change"`
	Robots []string   `json:"robots,omitempty"` // whose ways are not the model's any more; none for repairs
}

// ChangeKind is a kind of change.
type ChangeKind string

// The kinds of changes, from the smallest to the largest.
const (
	Moved    ChangeKind = "repaired" // waypoints were moved a little
	Rerouted ChangeKind = "rerouted" // led round obstacles
	Shifted  ChangeKind = "shifted"  // in time, along the same ways
	Searched ChangeKind = "searched" // new ways that let each other pass
	Hastened ChangeKind = "hastened" // driven in less time
)

// mostNames is how many robots a message names.
const mostNames = 12

// String says what was done.
func (c Change) String() string {
	names := strings.Join(c.Robots, ", ")
	if n := len(c.Robots); n > mostNames {
		names = fmt.Sprintf("%s and %d more", strings.Join(c.Robots[:mostNames/2], ", "), n-mostNames/2)
	}
	whose := "paths"
	if len(c.Robots) == 1 {
		whose = "path"
	}
	switch c.Kind {
	case Rerouted, Searched:
		verb := "are"
		if len(c.Robots) == 1 {
			verb = "is"
		}
		return fmt.Sprintf("%s: the %s of %s %s not the model's", c.Kind, whose, names, verb)
	case Shifted:
		return fmt.Sprintf("%s: %s at other times on the same %s", c.Kind, names, whose)
	default:
		return string(c.Kind)
	}
}
