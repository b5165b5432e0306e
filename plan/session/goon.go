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
	if at.tail == nil {
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
		if i >= 0 {
			x, v := wayOf(before, i).at(then)
			t.Robots[k].Start, t.Robots[k].StartVelocity = f.ToMap(x), v.Scale(1/f.Scale)
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
	curves := make([]geom.Curve, len(at.who))
	for k, i := range at.who {
		c := geom.Curve{Step: t.Step}
		if i < 0 {
			c.X = slices.Repeat([]geom.Vec2{t.TaskFrame().FromMap(t.Robots[k].Start)}, cmp.Or(t.Waypoints, t.Robots[k].Model.Waypoints()))
			c.V = make([]geom.Vec2, len(c.X))
		} else {
			old := before.Curves[i]
			from := min(h, len(old.X)-1)
			c.X, c.V = slices.Clone(old.X[from:]), slices.Clone(old.V[from:])
			for len(c.X) < len(old.X) {
				c.X, c.V = append(c.X, old.X[len(old.X)-1]), append(c.V, geom.Vec2{})
			}
		}
		curves[k] = c
	}
	return at.along(t, curves, Continued)
}

// goOnStraight goes on along straight ways from waypoint h on.
func (at situation) goOnStraight(before *Plan, h int) (*Plan, error) {
	then := at
	then.team = at.since(before, h)
	var rows []tensor.Batch
	for k, i := range at.who {
		if i < 0 {
			rows = append(rows, at.tail[k])
			continue
		}
		x := before.Trajectories[i]
		rows = append(rows, rest(x, min(h, x.Shape[0]-1)))
	}
	return then.judged(rows, Continued)
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
		if at.halted[k] != nil {
			if i := at.who[k]; i < 0 || !o.before.halts(o.before.Team.Robots[i].Name) {
				return false
			}
			continue
		}
		if wayOf(o.Plan, k).end().Dist(at.team.TaskFrame().FromMap(r.Goal)) > sameGoal*at.team.RadiusOf(r) {
			return false
		}
	}
	return true
}

// halts reports whether a robot stops for itself.
func (p *Plan) halts(name string) bool {
	return slices.ContainsFunc(p.Halted, func(h Halt) bool { return h.Robot == name })
}

// earlier reports whether the plan before arrives before another one, summed over
// robots, or at the same time on ways that are no longer.
func (o *onward) earlier(p *Plan) bool {
	a, b := o.Team.Arrival(o.Plan.Plan)-o.From/o.Team.Step*float64(len(o.Team.Robots)), p.Team.Arrival(p.Plan)
	return a < b || a == b && o.Length <= p.Length
}
