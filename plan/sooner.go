package plan

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/hasten"
	"github.com/go-pcd/pcd/tensor"
)

// sooner returns control points with which robots of an attempt that is certified arrive earlier, along their ways; nil
// where none does.
func (a *attempt) sooner(ctx context.Context, prefer Preference) []tensor.Batch {
	t := hasten.Task{World: *a.world, Control: a.at, Keep: a.kept(prefer), Gentle: prefer != PreferTime}
	for _, r := range a.team.Robots {
		t.Robots = append(t.Robots, hasten.Robot{
			Stays: a.team.stays(r), Passes: r.GoalVelocity != (geom.Vec2{}), Turns: r.turns(), OnSpot: r.onTheSpot(),
			From: along(r.StartHeading), To: along(r.GoalHeading),
		})
	}
	if pattern := a.team.Map.Pattern; pattern != nil {
		t.Adherence = func(knots []geom.Vec2) float64 {
			path := make([]geom.Vec2, len(knots))
			for h, x := range knots {
				path[h] = a.team.frame().ToMap(x)
			}
			return pattern.Adherence(path)
		}
	}
	return t.Sooner(ctx)
}

// soonerPlan returns the plan of an attempt that is certified, in which robots arrive early where that is certified as well.
func (a *attempt) soonerPlan(ctx context.Context, prefer Preference) (*Plan, error) {
	b := *a
	if b.at = a.sooner(ctx, prefer); b.at == nil {
		return a.plan(whole(ctx))
	}
	p, err := b.plan(whole(ctx))
	if err != nil || !p.Certificate.Certified { // the judge of all has the last word
		return a.plan(whole(ctx))
	}
	p.Changes = append(p.Changes, Change{Kind: Hastened})
	return p, nil
}

// kept returns the distance that robots keep where they arrive earlier: what they have to, and of what they
// have beyond that a part of a radius, or all where that is preferred.
func (a *attempt) kept(prefer Preference) float64 {
	const part = 0.02
	most := math.Inf(1)
	for _, r := range a.world.Robots {
		most = min(most, a.world.Margin+part*r.Radius)
	}
	least := a.clearance() * (1 - 1e-9)
	if prefer != PreferClearance || math.IsInf(least, 1) {
		least = min(least, most)
	}
	return max(least, a.world.Margin)
}
