package plan

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/tensor"
)

// In a plan in the shortest time everybody arrives as early as others allow, and stays: robots are
// given faster ways one after the other, each repaired among the others as they are.

// passes is how often robots are let arrive earlier, one after the other, where there is time: the first
// may, when the last do.
const passes = 4

// gained is the part of the sum of all arrivals from which another pass is worth its time.
const gained = 0.02

// early lets everybody arrive as early as others allow, and stay.
func (u *hurry) early(ctx context.Context) error {
	before := math.Inf(1)
	most := 1
	if u.patient {
		most = passes
	}
	for range most {
		now := 0.0
		for i, r := range u.team.Robots {
			if !r.rests() {
				continue
			}
			if err := u.earlyOne(ctx, i); err != nil {
				return err
			}
			now += u.arrival(i)
		}
		if !(now < before*(1-gained)) {
			break
		}
		before = now
	}
	return nil
}

// arrival returns the waypoint from which robot i stays.
func (u *hurry) arrival(i int) float64 {
	return profile.Arrival(u.plan.Curves[i], u.plan.Certificate.World.Robots[i].Radius)
}

// earlyOne lets robot i arrive earlier.
func (u *hurry) earlyOne(ctx context.Context, i int) error {
	before := *u
	for _, points := range u.earlier(i, u.arrival(i)) {
		ok, err := u.take(ctx, u.team.Step, u.team.withWay(u.control, i, points), u.around(i))
		if err != nil {
			return err
		}
		if ok && u.arrival(i) < before.arrival(i) {
			return nil
		}
		*u = before
	}
	return nil
}

// around repairs the way of robot i among all others as they are, and in a small team the ways of all
// where that does not do.
func (u *hurry) around(i int) rung {
	return func(ctx context.Context, a *attempt) (bool, error) {
		among := a.world.Among(a.world.Curves(a.at, 0), i)
		among.Brief = true
		moving := []tensor.Batch{a.at[i].Clone()}
		o, err := among.Repair(ctx, moving, moving, 0)
		a.rounds += o.Rounds
		if err != nil {
			return true, err
		}
		if o.Verdict.Certified(among.Margin) {
			a.at = slices.Clone(a.at)
			a.at[i] = moving[0]
			a.outcome.Verdict = a.world.Judge(a.at, 0)
			return true, nil
		}
		if len(a.at) > hastenings[0].robots {
			return false, nil
		}
		return briefly(ctx, a)
	}
}

// earlier lists control points of robot i with which it arrives before it does now, the
// earliest first.
func (u *hurry) earlier(i int, was float64) (out [][]geom.Vec2) {
	c := u.plan.Curves[i]
	if was == 0 {
		return nil
	}
	least := 1.0
	if points := u.team.sprint(i, c); points != nil {
		least = float64(slices.IndexFunc(points, func(p geom.Vec2) bool { return p == c.X[len(c.X)-1] })) / was
		if least < 1-1/was {
			out = append(out, points)
		}
	}
	if line := u.shortestWay(i); line != nil {
		for _, slower := range []float64{1, 1.2, 1.5} { // at corners limits ask for more time
			if points := u.team.sprintAlong(i, line, slower); points != nil && float64(slices.Index(points, c.X[len(c.X)-1])) < was-1 {
				out = append(out, points)
			}
		}
	}
	for _, share := range u.shares() {
		if part := least + share*(1-least); part < 1-1/was {
			out = append(out, profile.Hurried(c, was, part))
		}
	}
	return out
}

// shortestWay returns the shortest way of robot i round obstacles, in the units of the task, from where
// it begins to where it ends; nil where that is hardly shorter than the way that it has, or the map has a pattern.
func (u *hurry) shortestWay(i int) []geom.Vec2 {
	const worth = 0.97
	if u.team.Map.Pattern != nil {
		return nil // which it does not follow
	}
	c, way := u.plan.Curves[i], u.team.round(u.team.Robots[i])
	if way == nil || geom.Length(way)*u.team.frame().Scale > worth*profile.Length(c) {
		return nil
	}
	for k := range way {
		way[k] = u.team.frame().FromMap(way[k])
	}
	way[0], way[len(way)-1] = c.X[0], c.X[len(c.X)-1]
	return way
}
