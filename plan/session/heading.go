package session

import (
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
	"github.com/go-pcd/pcd/plan"
)

// hardly is how far a robot has to be from where it rests to tell by its velocity where it looks, as a part of its
// radius.
const hardly = 1e-2

// looks returns where robot i of a plan looks at a time on its clock, in radians, as a start from there has to
// keep it; nil where its velocity tells, or it may look anywhere. Of one that is hardly away from where it comes to rest the
// velocity does not tell.
func (p *Plan) looks(i int, t float64) *float64 {
	r := p.Team.Robots[i]
	if p.Curves == nil || r.TurnRate == 0 && r.TurningRadius == 0 && r.StartHeading == nil {
		return nil
	}
	w := wayOf(p, i)
	x, v := w.at(t)
	if v != (geom.Vec2{}) && x.Dist(w.end()) > hardly*p.Team.RadiusOf(r) {
		return nil
	}
	c, moved := p.Curves[i], false
	var pieces []heading.Piece
	for h := range c.Spans() {
		b, from := c.Span(h), float64(h)*c.Step
		pieces = append(pieces, heading.Piece{From: from, To: from + c.Step, Way: b})
		moved = moved || from < t && !heading.Stands(b)
	}
	if !moved && r.StartHeading == nil {
		return nil
	}
	rule := heading.Rule{Rate: r.TurnRate, Start: r.StartHeading, Goal: r.GoalHeading, Hardly: hardly * p.Team.RadiusOf(r)}
	if r.TurningRadius > 0 {
		rule.Rate = 0 // it does not turn where it stands
	}
	return new(heading.Along(pieces, rule).At(t))
}

// endsAt sets the goal of a robot. It has a heading to keep there only where that is the goal that is wanted.
func endsAt(r *plan.Robot, goal geom.Vec2) {
	if goal.Dist(r.Goal) > sameGoal*r.Radius {
		r.GoalHeading = nil
	}
	r.Goal = goal
}
