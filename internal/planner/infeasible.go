package planner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
)

// ending is how a run ended: how long it took, and what it tried last.
type ending struct {
	took  time.Duration
	tried string
}

// infeasible returns the error of a run without a safe plan.
func (t *PlanTask) infeasible(ctx context.Context, r *plan.Result, run ending) error {
	e := &InfeasibleError{Samples: len(r.Judged), Reason: "there is no trajectory"}
	if d := r.Nearest(); d != nil {
		e.Reason = failure(d.Certificate) + t.narrow(d.Certificate) + t.blame(d.Certificate.Worst())
		if d.ShortOfMemory {
			e.Reason += "; a search for ways of all robots together ended at the memory that it may take (" + humanize.IBytes(uint64(t.Options.MemoryBudget())) + " for the run)"
		}
		limit, seconds := time.Duration(0), 0.0
		if r.Refusal != nil {
			seconds = r.Refusal.Seconds
			if r.Refusal.Cells != "" && t.Team.Map.Cells != nil {
				e.Reason += "; " + r.Refusal.Cells
			}
			if limit = r.Refusal.TimeLimit; limit > 0 {
				e.Reason += fmt.Sprintf("; the search ended at its limit of %v, when it tried %s: a longer one may find a plan", limit, run.tried)
			}
		}
		e.Remedy = t.tryRemedies(ctx, t.remedies(d, seconds), t.forRemedies(run.took, limit))
	}
	return e
}

// inTheWay returns a robot with traffic that is parked in its only way, the one that fails
// most if there are several.
func (t *PlanTask) inTheWay(worst *plan.ConstraintMargin) (who string, parked []plan.Mover) {
	for i, r := range t.Team.Robots {
		if parked != nil && (worst == nil || r.Name != worst.Robot) {
			continue
		}
		if p := t.Team.ParkedInTheWay(i); p != nil {
			who, parked = r.Name, p
		}
	}
	return who, parked
}

// blame names that traffic, "" if there is none.
func (t *PlanTask) blame(worst *plan.ConstraintMargin) string {
	var places []string
	who, parked := t.inTheWay(worst)
	for _, m := range parked {
		at := t.Team.TaskFrame().FromMap(m.Path[0])
		places = append(places, fmt.Sprintf("%s stands at %s", m.Name, told.Place(at.X, at.Y, m.Radius*t.Team.LengthUnit())))
	}
	if places == nil {
		return ""
	}
	return fmt.Sprintf("; %s in the only way of %s", strings.Join(places, " and "), who)
}

// narrow says what is too narrow where the constraint fails that fails most, "" where nothing
// is.
func (t *PlanTask) narrow(c plan.Certificate) string {
	m := c.Worst()
	if m.Constraint == separation.Obstacles.String() {
		need := 2*t.width(m.Robot) + c.Margin
		if wide := t.openingAt(m); wide > 0 && wide < need {
			is, needed := told.Apart(wide, need, 3)
			return fmt.Sprintf("; the way there is %s wide, %s needs %s", is, m.Robot, needed)
		}
		m = marginOf(c, separation.Bodies)
	}
	if m == nil || m.Constraint != separation.Bodies.String() || m.Kept(c.Margin) {
		return ""
	}
	return t.passing(m)
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
	is, needed := told.Apart(wide, need, 3)
	return fmt.Sprintf("; the opening there is %s wide, two abreast need %s", is, needed)
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
