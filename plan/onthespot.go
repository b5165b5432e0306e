package plan

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// onTheSpot reports whether a robot has headings to keep, and may turn at its ends to keep them.
func (r Robot) onTheSpot() bool {
	return r.TurnRate > 0 && r.TurningRadius == 0 && r.rests() && (r.StartHeading != nil || r.GoalHeading != nil)
}

// spotRung lets robots stand at their ends as long as they turn there: along the ways that were drawn, or
// those that they have.
func spotRung(ctx context.Context, a *attempt) (changed bool, err error) {
	v, t := a.outcome.Verdict, a.team
	if !t.curved() || v[separation.Turning].Value >= 0 && v[separation.Heading].Value >= 0 || !slices.ContainsFunc(t.Robots, Robot.onTheSpot) {
		return false, nil
	}
	team, froms := t.turning(), [][]tensor.Batch{a.model}
	if a.rounds > 0 {
		froms = append(froms, a.at)
	}
	for _, from := range froms {
		curves, again := a.world.Curves(from, 0), false
		for i, r := range t.Robots {
			if !r.onTheSpot() || t.stays(r) {
				continue
			}
			if points := team.AtEnds(i, profile.Chords(curves[i])); points != nil {
				from, again, a.rerouted[i] = t.withWay(from, i, points), true, true
			}
		}
		if !again {
			continue
		}
		changed = true
		if err := a.repair(ctx, from); err != nil || a.safe() {
			return true, err
		}
	}
	return changed, nil
}

// holding returns a world in which robots whose turning is limited stand at their ends as long as they do
// on a joint trajectory: moved by a hair, they would leave in any direction.
func (t Team) holding(w *separation.World, x []tensor.Batch) *separation.World {
	if !t.curved() || !slices.ContainsFunc(t.Robots, Robot.turns) {
		return w
	}
	held := *w
	held.Robots = slices.Clone(w.Robots)
	for i, r := range t.Robots {
		if !r.turns() || !r.rests() || t.stays(r) {
			continue
		}
		way := geom.Points(nil, x[i].Data, channels)
		back := slices.Clone(way)
		slices.Reverse(back)
		held.Robots[i].Held = [2]int{stood(way), stood(back)}
	}
	return &held
}

// stood returns the number of waypoints after the first one, two or more, that are there, too; 0 for fewer.
func stood(way []geom.Vec2) int {
	n := 0
	for n+1 < len(way) && way[n+1] == way[0] {
		n++
	}
	if n < 2 || n == len(way)-1 {
		return 0
	}
	return n
}
