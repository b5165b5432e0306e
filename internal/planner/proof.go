package planner

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// Proof holds everything that a stranger needs to check that a plan is free of
// contact in continuous time, beside its trajectories and the radii r of the robots: with the position x_i,h of
// robot i at waypoint h, every row (i, j, a, b, n_x, n_y) of Pairs says
//
//	n·(x_i,h − x_j,h) ≥ (r_i + r_j) ‖n‖  for a ≤ h ≤ b,
//
// and every row (i, o, a, b, n_x, n_y) of Obstacles n·(x_i,h − v) ≥ (r_i + r_o) ‖n‖
// for every vertex v of the core of obstacle o. Motion is straight between waypoints,
// so what holds at both ends of a segment with one n holds on all of it. The rows of a
// pair cover all segments, and those of a robot and an obstacle all around which the box
// does not lie beyond that of the core, in x or y, by r_i + r_o. Robots count from 0, traffic
// counts on.
//
// Along curves a and b are times counted in waypoints, and may be parts of a span. There
// the same holds for the four points of the hull of every span, cut to what lies between a
// and b, less those of the other robot or of the piece of traffic there: see
// docs/driving.md, which has a program that checks all of it.
type Proof struct {
	Robots    []ProofMotion  `json:"robots"`
	Traffic   []ProofTraffic `json:"traffic,omitempty"`
	Solids    []ProofSolid   `json:"solids"`
	Border    *[2][2]float64 `json:"border,omitempty"` // of the workspace: least and greatest corner
	Pairs     [][6]float64   `json:"pairs"`
	Obstacles [][6]float64   `json:"obstacles"`
	// Late are rows (i, j, a, b, c, d, n_x, n_y): n·(x − y) ≥ (r_i + r_j) ‖n‖ for all points x of the
	// hulls of robot i from time a to b, and y of those of j from c to d. Those of a pair cover all
	// times that differ by at most Lateness, counted in waypoints.
	Late     [][8]float64 `json:"late,omitempty"`
	Lateness float64      `json:"lateness,omitempty"`
}

// ProofMotion is what the motion of a robot keeps to.
type ProofMotion struct {
	Inset  float64    `json:"inset,omitempty"`  // distance of the centre from the border
	Step   float64    `json:"step,omitempty"`   // longest step, in Unit; 0 is no limit
	Change float64    `json:"change,omitempty"` // largest change of a step, in Unit; 0 is no limit
	Unit   [2]float64 `json:"unit"`             // of Step and Change, in x and y
	// Before and After are the steps that led to the first waypoint and that follow the last
	// one; without them it begins and ends at rest. They count where Change is limited.
	Before *[2]float64 `json:"before,omitempty"`
	After  *[2]float64 `json:"after,omitempty"`
}

// ProofTraffic is a disk on a given path.
type ProofTraffic struct {
	Name   string  `json:"name"`
	Radius float64 `json:"radius"`
	// Path has a point for every waypoint or, with Times, for each of these: they count
	// waypoints, and all waypoints are among them.
	Path  [][2]float64 `json:"path"`
	Times []float64    `json:"times,omitempty"`
}

// ProofSolid is an obstacle: everything within Radius of the convex hull of Core.
type ProofSolid struct {
	Core   [][2]float64 `json:"core"`
	Radius float64      `json:"radius"`
}

// newProof returns the proof of a certified plan, nil for others.
func newProof(team plan.Team, d *plan.Plan) *Proof {
	if !d.Certificate.Certified {
		return nil
	}
	w := d.Certificate.World
	p := &Proof{Pairs: rows(d.Certificate.Proof.Bodies), Obstacles: rows(d.Certificate.Proof.Obstacles), Solids: []ProofSolid{}}
	p.Lateness = w.Lateness
	for _, l := range d.Certificate.Proof.Late {
		p.Late = append(p.Late, [8]float64{float64(l.Robot), float64(l.Other), l.From, l.To, l.There[0], l.There[1], l.N.X, l.N.Y})
	}
	for _, r := range w.Robots {
		p.Robots = append(p.Robots, ProofMotion{
			Inset: r.Inset, Step: r.Step, Change: r.Change, Unit: r.Unit, Before: stepOf(r.Before), After: stepOf(r.After),
		})
	}
	for i, m := range w.Traffic {
		disk := ProofTraffic{Name: team.Traffic[i].Name, Radius: m.Radius, Times: m.Times}
		for _, q := range m.Path {
			disk.Path = append(disk.Path, [2]float64{q.X, q.Y})
		}
		p.Traffic = append(p.Traffic, disk)
	}
	for _, c := range w.Obstacles {
		s := ProofSolid{Radius: c.Radius}
		for _, v := range c.Core {
			s.Core = append(s.Core, [2]float64{v.X, v.Y})
		}
		p.Solids = append(p.Solids, s)
	}
	if b := w.Border; b != nil {
		p.Border = &[2][2]float64{{b.Min.X, b.Min.Y}, {b.Max.X, b.Max.Y}}
	}
	return p
}

// stepOf returns a step, nil for rest.
func stepOf(v geom.Vec2) *[2]float64 {
	if v == (geom.Vec2{}) {
		return nil
	}
	return &[2]float64{v.X, v.Y}
}

func rows(ws []separation.Witness) [][6]float64 {
	out := make([][6]float64, 0, len(ws))
	for _, w := range ws {
		out = append(out, [6]float64{float64(w.Robot), float64(w.Other), float64(w.From), float64(w.To), w.N.X, w.N.Y})
	}
	return out
}

// DescribeMargin says how much room a constraint leaves, where and to whom.
func DescribeMargin(m plan.ConstraintMargin) string {
	who := m.Robot
	switch {
	case m.Other != "":
		who += " and " + m.Other
	case m.Nearest != nil:
		who += fmt.Sprintf(" and obstacle %d", *m.Nearest)
	}
	return fmt.Sprintf("%.3g left, %s after waypoint %d", m.Margin, who, m.Segment)
}

// failure says which constraints fail, the worst first, by how much, where and for whom.
func failure(c plan.Certificate) string {
	worst := c.Worst()
	if worst == nil {
		return "nothing was judged"
	}
	out := describeFailure(worst, c.Margin, smallest(c))
	for i := range c.Margins {
		if m := &c.Margins[i]; m != worst && !m.Kept(c.Margin) {
			out += ", and " + describeFailure(m, c.Margin, smallest(c))
		}
	}
	return out
}

// smallest returns the smallest radius of the robots of a certificate: so exactly places are told.
func smallest(c plan.Certificate) float64 {
	size := math.Inf(1)
	for _, r := range c.World.Robots {
		size = min(size, r.Radius)
	}
	return size
}

func describeFailure(m *plan.ConstraintMargin, margin, size float64) string {
	where := fmt.Sprintf("after waypoint %d, near %s", m.Segment, told.Place(m.At[0], m.At[1], size))
	by := math.Max(margin-m.Margin, -m.Margin)
	switch m.Constraint {
	case separation.Bodies.String():
		return fmt.Sprintf("%s and %s come %.3g too near to each other %s", m.Robot, m.Other, by, where)
	case separation.Obstacles.String():
		return fmt.Sprintf("%s runs %.3g into obstacle %d %s", m.Robot, by, *m.Nearest, where)
	case separation.Border.String():
		return fmt.Sprintf("%s leaves the workspace by %.3g %s", m.Robot, -m.Margin, where)
	case separation.Curvature.String():
		if onTheSpot(-m.Margin, size) {
			return fmt.Sprintf("%s turns on the spot, which its turning radius does not allow, %s", m.Robot, where)
		}
	case separation.Heading.String():
		return fmt.Sprintf("%s is %.3g radians off its heading %s", m.Robot, -m.Margin, where)
	}
	return fmt.Sprintf("%s exceeds its %s limit by %.3g %s", m.Robot, m.Constraint, -m.Margin, where)
}
