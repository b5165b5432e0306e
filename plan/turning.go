package plan

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/internal/turns"
	"github.com/go-pcd/pcd/plan/route"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// turns reports whether the turning of a robot is limited, or a heading given.
func (r Robot) turns() bool {
	return r.TurnRate > 0 || r.TurningRadius > 0 || r.StartHeading != nil || r.GoalHeading != nil
}

// wider is by how much the arcs of a first guess are wider than the limits ask for: curves
// cut corners. Where there is little room only the last one fits.
var wider = []float64{1.25, 1.6, turns.Tight}

// turnRung gives robots that turn too fast, too tightly or from a wrong heading ways of arcs.
func turnRung(ctx context.Context, a *attempt) (changed bool, err error) {
	v, t := a.outcome.Verdict, a.team
	if !t.curved() || v[separation.Turning].Value >= 0 && v[separation.Curvature].Value >= 0 && v[separation.Heading].Value >= 0 {
		return false, nil
	}
	if a.arcs != nil {
		a.arcs.takenBy(a)
		return true, nil
	}
	curves, team := a.world.Curves(a.model, 0), t.turning()
	for _, factor := range wider {
		b, from := *a, a.model
		b.rerouted = slices.Clone(a.rerouted)
		for i, r := range t.Robots {
			if !r.turns() || !r.rests() || t.stays(r) {
				continue
			}
			if points := turningWay(team, i, curves[i], factor); points != nil {
				from, changed, b.rerouted[i] = t.withWay(from, i, points), true, true
			}
		}
		if !changed {
			return false, nil
		}
		if err := b.repair(ctx, from); err != nil {
			return true, err
		}
		if b.safe() || factor > turns.Tight { // what is made for little room is no better to go on from
			*a = b
		}
		if a.safe() {
			return true, nil
		}
		if t.glancing || !a.foremost || team.Stuck() { // all would be given much the same turns
			continue
		}
		if err := a.takeTurns(ctx, factor); err != nil || a.safe() {
			return true, err
		}
	}
	a.arcs = &onArcs{a.world, a.at, a.outcome, a.rerouted}
	return changed, nil
}

// onArcs is what became of the model of an attempt on ways of arcs, where it was not certified: ladders come to that
// twice, and it takes most of their time.
type onArcs struct {
	world    *separation.World
	at       []tensor.Batch
	outcome  separation.Outcome
	rerouted []bool
}

// takenBy brings an attempt to where it was.
func (o *onArcs) takenBy(a *attempt) {
	a.world, a.at, a.outcome = o.world, o.at, o.outcome
	a.rerouted = slices.Clone(a.rerouted)
	for i, on := range o.rerouted {
		a.rerouted[i] = a.rerouted[i] || on
	}
}

// turnsRung lets robots take turns.
func turnsRung(ctx context.Context, a *attempt) (bool, error) {
	for _, factor := range wider {
		if err := a.takeTurns(ctx, factor); err != nil || a.safe() {
			return true, err
		}
	}
	return true, nil
}

// turningWay returns control points of a robot that turns: on the spot along a curve, or on arcs.
func turningWay(t turns.Team, i int, c geom.Curve, factor float64) []geom.Vec2 {
	if t.Robots[i].OnSpot {
		if points := t.AtEnds(i, profile.Chords(c)); points != nil {
			return points
		}
	}
	return t.Arcs(i, factor)
}

// turning returns what counts for how the robots of a team turn.
func (t Team) turning() turns.Team {
	out := turns.Team{Map: t.Map, Frame: t.frame(), Margin: t.Margin, Step: t.Step, Waypoints: t.waypoints(), Lines: t.lines}
	out.Round = func(i int, on *nav2d.Map, from, to geom.Vec2) []geom.Vec2 {
		return route.Task{Map: on, Margin: t.Margin}.Round(t.disk(t.Robots[i]), from, to)
	}
	for _, r := range t.Robots {
		speed, acceleration := t.limits(r)
		out.Robots = append(out.Robots, turns.Robot{
			Start: r.Start, Goal: r.Goal, Radius: r.Radius, Size: t.RadiusOf(r), Speed: speed, Acceleration: acceleration,
			TurnRate: r.TurnRate, TurningRadius: r.TurningRadius, Headings: [2]*float64{r.StartHeading, r.GoalHeading},
			Turns: r.turns(), OnSpot: r.onTheSpot(), Rests: r.rests(), Stays: t.stays(r),
		})
	}
	return out
}
