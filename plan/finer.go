package plan

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Robots that take turns have a part of the time each, and so a part of the waypoints. Where these lie too far
// apart for the arcs of vehicles, there have to be more of them.

const (
	finest    = 4 // times the waypoints of a model that a plan has at most
	perRadius = 2 // waypoints in a radius of turning
)

// mayBeFiner reports whether plans of a team may have more waypoints than its models draw: if it does not say how
// many, and vehicles are among its robots.
func (t Team) mayBeFiner() bool {
	if !t.curved() || t.Waypoints != 0 && !t.openEnded {
		return false
	}
	steers := false
	for _, r := range t.Robots {
		if !r.rests() {
			return false
		}
		steers = steers || r.TurningRadius > 0
	}
	return steers
}

// finer returns a team with as many more waypoints in the same time as its vehicles need one after the other;
// false where that is none.
func (t Team) finer() (Team, bool) {
	need := 0.0
	for i, way := range t.roundedWays() {
		if r := t.Robots[i]; r.TurningRadius > 0 {
			need += perRadius * way / max(r.TurningRadius*t.LengthUnit(), t.RadiusOf(r)/2)
		}
	}
	drawn, now := t.Robots[0].Model.Waypoints(), t.waypoints()
	times := int(min(finest, math.Ceil(need/float64(drawn))))
	if times*drawn <= now {
		return t, false
	}
	out := t.coarse(times * drawn)
	out.stretch, out.Waypoints, out.Step = t.stretch, times*drawn, t.Step*float64(now)/float64(times*drawn)
	return out, true
}

// asFineAs returns the team as it is in a plan of it.
func (t Team) asFineAs(p *Plan) Team {
	if len(p.Times) != t.waypoints() {
		t, _ = t.finer()
	}
	return t
}

// finerRung lets robots take turns on ways of more waypoints.
func finerRung(ctx context.Context, a *attempt) (bool, error) {
	t, ok := a.team.finer()
	if !ok || !a.foremost || t.turning().Stuck() {
		return false, nil
	}
	b := *a
	var err error
	if b.world, err = t.world(0); err != nil {
		return false, err
	}
	b.world.Brief = a.world.Brief
	b.team, b.routes, b.drawn, b.arcs = t, t.routes(), nil, nil
	b.model = make([]tensor.Batch, len(a.model))
	for i, x := range a.model {
		b.model[i] = stretched(x, t.waypoints())
		t.restoreEnds(b.model[i], t.Robots[i])
	}
	for _, factor := range wider {
		if err := b.takeTurns(ctx, factor); err != nil || b.safe() {
			if b.safe() {
				*a = b
			}
			return true, err
		}
	}
	return true, nil
}
