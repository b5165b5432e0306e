package plan

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// A plan that stays certified for robots that are late begins with one that is certified on
// time. It is repaired in the wider tube, at once or by and by. Where that does not do, ways
// are driven at other times, or searched, among robots that are late, and repaired again.

// lateShares are the parts of the lateness for which a plan is repaired one after the other,
// where it is not at once for all of it.
var lateShares = []float64{0.15, 0.4, 0.7, 1}

// lateSamples is how many samples are tried.
const lateSamples = 2

// lateSteps is how often the lateness that a plan stays certified for is halved in the search for
// the largest.
const lateSteps = 6

// forLate takes attempts of which one is certified on time on to the lateness of the team, and
// returns the one that comes nearest to it.
func (t Team) forLate(ctx context.Context, attempts []*attempt, best *attempt, o Options) (*attempt, error) {
	var late []*attempt
	for _, a := range attempts {
		if a.safe() {
			late = append(late, a)
		}
	}
	slices.SortStableFunc(late, func(a, b *attempt) int { // the best one first
		if a == best {
			return -1
		}
		if b == best {
			return 1
		}
		return 0
	})
	late = late[:min(len(late), lateSamples)]
	for _, a := range late {
		a.ontime = cloned(a.at)
		a.routes.Lateness = t.Lateness / t.Step
	}
	for k, step := range []rung{widenRung, shiftLateRung, asideLateRung} {
		for i, a := range late {
			if i > 0 && k == 2 {
				break // nobody keeps the way that was sampled: one search is as good as any
			}
			if _, err := step(ctx, a); unlessUp(ctx, err) != nil {
				return nil, err
			}
			a.measure()
			if a.late >= t.Lateness {
				return a, nil
			}
		}
	}
	return slices.MaxFunc(late, func(a, b *attempt) int {
		switch {
		case a.late > b.late:
			return 1
		case a.late < b.late:
			return -1
		}
		return b.sample - a.sample
	}), nil
}

// worldFor returns the world of an attempt for robots that are late by some seconds.
func (a *attempt) worldFor(seconds float64) (*separation.World, error) {
	t := a.team
	t.Lateness = seconds
	return t.world(0)
}

// keepLate keeps a joint trajectory that is certified for robots that are late by some seconds.
func (a *attempt) keepLate(w *separation.World, at []tensor.Batch, o separation.Outcome, seconds float64) {
	a.world, a.at, a.outcome.Verdict, a.late = w, at, o.Verdict, seconds
}

// lateSeconds returns how late robots are in a world, in seconds.
func lateSeconds(w *separation.World, step float64) float64 {
	const digits = 1e12
	return math.Round(w.Lateness*step*digits) / digits
}

// widen repairs a joint trajectory for more and more lateness, and keeps what is certified for
// more than what there is.
func (a *attempt) widen(ctx context.Context, from []tensor.Batch) error {
	for _, shares := range [][]float64{{1}, lateShares} {
		at := from
		for _, share := range shares {
			seconds := share * a.team.Lateness
			w, err := a.worldFor(seconds)
			if err != nil {
				return err
			}
			w.Brief = true // what fails is tried again otherwise
			w = a.team.holding(w, at)
			next := cloned(at)
			o, err := w.Repair(ctx, next, at, 0)
			a.rounds += o.Rounds
			if err != nil {
				return err
			}
			if !o.Verdict.Certified(w.Margin) {
				break
			}
			if at = next; seconds > a.late {
				a.keepLate(w, at, o, seconds)
			}
		}
		if a.late >= a.team.Lateness {
			break
		}
	}
	return nil
}

// widenRung widens the tube round the plan that is certified on time.
func widenRung(ctx context.Context, a *attempt) (bool, error) {
	if err := a.widen(ctx, a.ontime); err != nil || a.late > 0 {
		return true, err
	}
	return true, a.asLate()
}

// asLate finds how late robots may be in the plan as it is.
func (a *attempt) asLate() error {
	low, high := 0.0, a.team.Lateness
	for range lateSteps {
		mid := (low + high) / 2
		w, err := a.worldFor(mid)
		if err != nil {
			return err
		}
		if v := w.Judge(a.at, 0); v.Certified(w.Margin) {
			a.keepLate(w, a.at, separation.Outcome{Verdict: v}, mid)
			low = mid
		} else {
			high = mid
		}
	}
	return nil
}

// shiftLateRung drives the same ways at other times.
func shiftLateRung(ctx context.Context, a *attempt) (bool, error) {
	paths := a.paths(a.ontime)
	who := everybody(len(paths))
	shifted := a.routes.Shift(paths, who, uint64(a.sample))
	if shifted == nil {
		return false, nil
	}
	late := a.late
	if err := a.widen(ctx, a.withPaths(shifted)); err != nil || a.late == late {
		return true, err
	}
	for _, i := range who {
		a.shifted[i] = a.shifted[i] || !slices.Equal(shifted[i], paths[i])
	}
	return true, nil
}

// asideLateRung searches new ways among robots that are late.
func asideLateRung(ctx context.Context, a *attempt) (bool, error) {
	paths := a.paths(a.ontime)
	who := everybody(len(paths))
	if len(paths) > searchedTogether {
		return false, nil
	}
	found := a.routes.StepAside(ctx, paths, who, a.memory)
	if found == nil {
		return false, ctx.Err()
	}
	late := a.late
	if err := a.widen(ctx, a.withPaths(found)); err != nil || a.late == late {
		return true, err
	}
	for _, i := range who {
		a.rerouted[i], a.shifted[i], a.searched[i] = false, false, true
	}
	return true, nil
}
