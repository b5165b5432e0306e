package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
)

// turns reports whether the turning of a robot is limited, or a heading given.
func (r Robot) turns() bool {
	return r.TurnRate > 0 || r.TurningRadius > 0 || r.StartHeading != nil || r.GoalHeading != nil
}

// wider is by how much the arcs of a first guess are wider than the limits ask for: curves
// cut corners.
var wider = []float64{1.25, 1.6}

// turnRung gives robots that turn too fast, too tightly or from a wrong heading ways of arcs.
func turnRung(ctx context.Context, a *attempt) (changed bool, err error) {
	v, t := a.outcome.Verdict, a.team
	if !t.curved() || v[separation.Turning].Value >= 0 && v[separation.Curvature].Value >= 0 && v[separation.Heading].Value >= 0 {
		return false, nil
	}
	curves := a.world.Curves(a.model, 0)
	for _, factor := range wider {
		from := a.model
		for i, r := range t.Robots {
			if !r.turns() || !r.rests() || t.stays(r) {
				continue
			}
			if points := t.turningWay(i, curves[i], factor); points != nil {
				from, changed, a.rerouted[i] = t.withWay(from, i, points), true, true
			}
		}
		if !changed {
			return false, nil
		}
		if err := a.repair(ctx, from); err != nil || a.safe() {
			return true, err
		}
		if t.glancing || !a.foremost || t.stuck() { // all would be given much the same turns
			continue
		}
		if err := a.takeTurns(ctx, factor); err != nil || a.safe() {
			return true, err
		}
	}
	return changed, nil
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
func (t Team) turningWay(i int, c geom.Curve, factor float64) []geom.Vec2 {
	if r := t.Robots[i]; r.onTheSpot() {
		if points := t.turningAtEnds(r, profile.Chords(c)); points != nil {
			return points
		}
	}
	return t.vehicleWay(i, factor)
}
