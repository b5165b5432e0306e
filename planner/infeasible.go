package planner

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// infeasible returns the error of a run without a safe plan.
func (t *PlanTask) infeasible(r *plan.Result) error {
	e := &InfeasibleError{Samples: len(r.Judged), Reason: "there is no trajectory", Remedy: "try another method"}
	if d := r.Delivery; d != nil {
		e.Reason, e.Remedy = failure(d.Certificate), t.remedy(d)
		t.blame(e, d.Certificate.Worst())
	}
	return e
}

// blame names traffic that is parked in the way of a robot, the one that fails most if
// there are several: what it runs into instead is no help.
func (t *PlanTask) blame(e *InfeasibleError, worst *plan.ConstraintMargin) {
	var who *plan.Robot
	var parked []plan.Mover
	for i, r := range t.Team.Robots {
		if who != nil && (worst == nil || r.Name != worst.Robot) {
			continue
		}
		if p := t.Team.ParkedInTheWay(i); p != nil {
			who, parked = &t.Team.Robots[i], p
		}
	}
	if who == nil {
		return
	}
	f := t.Team.TaskFrame()
	var names, places []string
	for _, m := range parked {
		at := f.FromMap(m.Path[0])
		names, places = append(names, m.Name), append(places, fmt.Sprintf("%s at (%.3g, %.3g)", m.Name, at.X, at.Y))
	}
	e.Reason += fmt.Sprintf("; %s stands in the only way of %s", strings.Join(places, " and "), who.Name)
	e.Remedy = fmt.Sprintf("move %s, or leave %.3g beside it", strings.Join(names, " and "), 2*t.width(who.Name)+t.Team.Margin*f.Scale)
}

// remedy says what may help against the constraint that fails most.
func (t *PlanTask) remedy(d *plan.Delivery) string {
	if !t.Options.Settings.Repair {
		return "turn the repair on, or try another seed or more samples"
	}
	m := d.Certificate.Worst()
	seconds := t.Team.Step * float64(d.Trajectories[0].Shape[0]-1)
	longer := fmt.Sprintf("give them more than %.3g s or higher speed limits", seconds)
	if a := marginOf(d.Certificate, separation.Acceleration); a != nil && !a.Kept(d.Certificate.Margin) {
		longer = fmt.Sprintf("raise the acceleration of %s, lower its velocity there, or give it more room or more than %.3g s", a.Robot, seconds)
	}
	switch m.Constraint {
	case separation.Bodies.String():
		return t.passing(m) + longer + ", or move a start or goal, so that one can wait"
	case separation.Obstacles.String():
		return t.clearing(m, d.Certificate) + longer
	case separation.Border.String():
		return "move starts and goals inwards, or widen the workspace"
	default:
		return longer
	}
}

// clearing says whether the way is too narrow where a robot runs into an obstacle, or who is
// in it.
func (t *PlanTask) clearing(m *plan.ConstraintMargin, c plan.Certificate) string {
	need := 2*t.width(m.Robot) + c.Margin
	wide := t.openingAt(m)
	if wide <= 0 {
		return fmt.Sprintf("move obstacle %d, or ", *m.Nearest)
	}
	if wide < need {
		return fmt.Sprintf("widen the way there beyond the %.3g that %s needs, or ", need, m.Robot)
	}
	if other := marginOf(c, separation.Bodies); other != nil && !other.Kept(c.Margin) {
		return t.passing(other)
	}
	return ""
}

// marginOf returns the smallest margin of a kind of constraint, nil if there is none.
func marginOf(c plan.Certificate, kind separation.Kind) *plan.ConstraintMargin {
	for i, m := range c.Margins {
		if m.Constraint == kind.String() {
			return &c.Margins[i]
		}
	}
	return nil
}

// passing says whether two robots fit side by side where they meet, "" where nothing
// is narrow.
func (t *PlanTask) passing(m *plan.ConstraintMargin) string {
	wide, need := t.openingAt(m), 2*(t.width(m.Robot)+t.width(m.Other))+t.Team.Margin*t.Team.LengthUnit()
	if wide >= need {
		return ""
	}
	return fmt.Sprintf("the opening there is %.3g wide, two abreast need %.3g: one must wait or step aside; ", wide, need)
}

// openingAt returns the width of the free way where a margin is smallest, in the units of
// the task.
func (t *PlanTask) openingAt(m *plan.ConstraintMargin) float64 {
	return t.opening(t.Team.TaskFrame().ToMap(geom.Vec2{X: m.At[0], Y: m.At[1]})) * t.Team.LengthUnit()
}

// opening returns the width in map units of the free way around a point, across it:
// from the nearest obstacle or side of the workspace to the one opposite.
func (t *PlanTask) opening(at geom.Vec2) float64 {
	room := func(p geom.Vec2) (float64, geom.Vec2) {
		d, n := t.Team.Map.Clearance(p)
		if inside, out := t.Team.Map.Bounds.SignedDistance(p); -inside < d {
			return -inside, out.Scale(-1)
		}
		return d, n
	}
	near, n := room(at)
	across := 0.0
	for range openingSteps { // by conservative advancement
		d, _ := room(at.Add(n.Scale(across)))
		if d < openingTolerance {
			break
		}
		across += d
	}
	return near + across
}

// A ray across an opening ends after so many steps, or so near to what bounds it.
const (
	openingSteps     = 200
	openingTolerance = 1e-4
)

// width returns the radius of a robot or of traffic and half the margin, in the units of
// the task.
func (t *PlanTask) width(name string) float64 {
	scale := t.Team.Frame.Scale
	if scale == 0 {
		scale = 1
	}
	for _, r := range t.Team.Robots {
		if r.Name == name {
			return (r.Radius + t.Team.Margin/2) * scale
		}
	}
	for _, m := range t.Team.Traffic {
		if m.Name == name {
			return (m.Radius + t.Team.Margin/2) * scale
		}
	}
	return 0
}
