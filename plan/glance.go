package plan

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// A team that turns needs a time that is hard to foresee, and to learn that there is no plan in less takes
// all steps of the ladder. Longer and longer times are therefore glanced at first: with the steps that are
// quick, without robots that take turns and then with. What is found becomes faster in the same manner.

// How often a time is glanced at without turns and with, by which factor each is longer than the one before, and
// how many samples are looked at without turns.
const (
	glances  = 3
	inTurns  = 5
	longer   = 1.5
	glanceAt = 2
)

// glance returns a plan that quick steps find, and the team in its time; no result where they find none.
func (t Team) glance(ctx context.Context, o Options) (*Result, Team, error) {
	slower := t.paced(t.Step * float64(t.waypoints()))
	slower.glancing = true
	t.Step = slower.Step
	for k := range glances + inTurns {
		if k == 0 || k == glances {
			slower.Step, slower.patient = t.Step, k == glances
		}
		out, err := slower.runOnce(ctx, o)
		if err != nil || out.Status != pcd.Complete || timeIsUp(ctx) || out.Plan != nil && out.Plan.Certificate.Lateness >= t.Lateness {
			slower.glancing, slower.patient = false, false
			return out, slower, err
		}
		slower.Step *= longer
	}
	return nil, t, nil
}

// quickly is briefly, after which robots that turn stand where they turn, or take turns, in the time
// that there is.
func quickly(ctx context.Context, a *attempt) (bool, error) {
	if _, err := briefly(ctx, a); err != nil || a.safe() || !slices.ContainsFunc(a.team.Robots, Robot.turns) {
		return true, err
	}
	all := a.world
	w := *all
	w.Brief = true
	a.world = &w
	defer func() { a.world = all }()
	turns := func(ctx context.Context, a *attempt) (bool, error) { return true, a.takeTurns(ctx, wider[0]) }
	for _, try := range []rung{spotRung, atOnceRung, turns} {
		if _, err := try(ctx, a); err != nil || a.safe() {
			return true, err
		}
	}
	return true, nil
}

// atOnceRung lets everybody go along their ways all of the time, at an even pace.
func atOnceRung(ctx context.Context, a *attempt) (bool, error) {
	t, from := a.team, a.model
	team := t.turning()
	for i, c := range a.world.Curves(a.model, 0) {
		if r := t.Robots[i]; r.rests() && !t.stays(r) {
			if points := team.AtEnds(i, profile.Chords(c)); points != nil {
				from = t.withWay(from, i, points)
			}
		}
	}
	return true, a.repair(ctx, from)
}
