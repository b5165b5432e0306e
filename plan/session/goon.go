package session

import (
	"cmp"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// onward is the plan before, from here on. Nil is none that holds.
type onward struct {
	*Plan
	before *Plan
}

// goOn returns the plan before, nil when it does not hold any more. Between two waypoints it
// has the one before, and its clock shows the time since then.
func (at situation) goOn(before *Plan) (*onward, error) {
	if at.tail == nil || at.off != nil {
		return nil, nil
	}
	var p *Plan
	var err error
	h, whole := wholeSteps(at.left, at.team.Step)
	switch {
	case before.Curves != nil:
		p, err = at.goOnCurves(before, h)
	case whole:
		p, err = at.judged(at.tail, Continued)
	default:
		p, err = at.goOnStraight(before, h)
	}
	if p == nil {
		return nil, err
	}
	if !whole {
		p.From = at.left - float64(h)*at.team.Step
	}
	return &onward{p, before}, err
}

// since returns the team at waypoint h of the plan before, which it passed a part of a step ago.
func (at situation) since(before *Plan, h int) plan.Team {
	t := at.team
	f, then := t.TaskFrame(), float64(h)*t.Step
	t.Robots = slices.Clone(t.Robots)
	for k, i := range at.who {
		if i >= 0 && !at.off[k] {
			x, v := wayOf(before, i).at(then)
			t.Robots[k].Start, t.Robots[k].StartVelocity = f.ToMap(x), v.Scale(1/f.Scale)
			t.Robots[k].StartHeading = before.looks(i, then)
		}
	}
	t.Traffic = nil
	for _, m := range at.team.Traffic {
		t.Traffic = append(t.Traffic, later(m, then-at.left, t.Step))
	}
	return t
}

// goOnCurves goes on along curves from knot h on: their spans stay what they are.
func (at situation) goOnCurves(before *Plan, h int) (*Plan, error) {
	t := at.since(before, h)
	var curves []geom.Curve
	for k := range at.who {
		curves = append(curves, at.curveFrom(t, before, k, h))
	}
	return at.along(t, curves, Continued)
}

// curveFrom returns the curve of robot k from knot h of the plan before on; newcomers stand.
func (at situation) curveFrom(t plan.Team, before *Plan, k, h int) geom.Curve {
	i := at.who[k]
	if i < 0 {
		return standing(t, k)
	}
	old, c := before.Curves[i], geom.Curve{Step: t.Step}
	from := min(h, len(old.X)-1)
	c.X, c.V = slices.Clone(old.X[from:]), slices.Clone(old.V[from:])
	for len(c.X) < len(old.X) {
		c.X, c.V = append(c.X, old.X[len(old.X)-1]), append(c.V, geom.Vec2{})
	}
	return c
}

// standing returns the curve of a robot that stays where it starts.
func standing(t plan.Team, k int) geom.Curve {
	n := cmp.Or(t.Waypoints, t.Robots[k].Model.Waypoints())
	return geom.Curve{Step: t.Step, X: slices.Repeat([]geom.Vec2{t.TaskFrame().FromMap(t.Robots[k].Start)}, n), V: make([]geom.Vec2, n)}
}

// goOnStraight goes on along straight ways from waypoint h on.
func (at situation) goOnStraight(before *Plan, h int) (*Plan, error) {
	then := at
	then.team = at.since(before, h)
	var rows []tensor.Batch
	for k := range at.who {
		rows = append(rows, at.rowFrom(before, k, h))
	}
	return then.judged(rows, Continued)
}

// rowFrom returns the straight way of robot k from waypoint h of the plan before on.
func (at situation) rowFrom(before *Plan, k, h int) tensor.Batch {
	i := at.who[k]
	if i < 0 {
		return at.tail[k]
	}
	x := before.Trajectories[i]
	return rest(x, min(h, x.Shape[0]-1))
}

// sameGoal is how near to its goal, as a part of its radius, a robot has to end: goals that are
// read from a plan and fed back are nearer than that.
const sameGoal = 1e-3

// arrives reports whether the plan before leads to the goals that are wanted, and stops those who
// cannot have theirs.
func (o *onward) arrives(at situation) bool {
	if o == nil {
		return false
	}
	for k, r := range at.team.Robots {
		if at.halted[k] != nil && !o.before.halts(r.Name) {
			return false
		}
	}
	return len(at.missing(o.Plan)) == 0
}

// missing returns the robots that may have their goals and that a plan from here on does not lead there.
func (at situation) missing(p *Plan) map[int]bool {
	out := map[int]bool{}
	for k, r := range at.team.Robots {
		if at.halted[k] == nil && wayOf(p, k).end().Dist(at.team.TaskFrame().FromMap(r.Goal)) > sameGoal*at.team.RadiusOf(r) {
			out[k] = true
		}
	}
	return out
}

// leadsAsMany reports whether a plan leads all those to their goals that another one does.
func (at situation) leadsAsMany(p, q *Plan) bool {
	than := at.missing(q)
	for k := range at.missing(p) {
		if !than[k] {
			return false
		}
	}
	return true
}

// halts reports whether a robot stops for itself.
func (p *Plan) halts(name string) bool {
	return slices.ContainsFunc(p.Halted, func(h Halt) bool { return h.Robot == name })
}

// earlier reports whether a plan that goes on arrives before another one, summed over
// robots, or at the same time on ways that are no longer.
func (p *Plan) earlier(q *Plan) bool {
	a, b := p.Team.Arrival(p.Plan)-p.From/p.Team.Step*float64(len(p.Team.Robots)), q.Team.Arrival(q.Plan)
	return a < b || a == b && p.Length <= q.Length
}
