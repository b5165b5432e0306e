package plan

import (
	"context"
	"slices"
	"time"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/project/separation"
)

// The number of joint samples that are repaired, and of denoising steps that they are
// drawn with: what arrives is repaired, so few of either will do. Chosen on trials that
// no table uses.
const (
	repairedSamples = 4
	repairedSteps   = 8
	sampledRobots   = 256 // samples times robots at most
	chooseAmong     = 32  // robots up to which samples are repaired together before one is chosen
)

// rung is a step of the ladder: it changes an attempt that failed and reports whether
// there was anything to change. A repair follows.
type rung func(ctx context.Context, a *attempt) (changed bool, err error)

// step is a rung with what it tries, for those who wait for it.
type step struct {
	what  string
	climb rung
}

// The steps of ladders.
var (
	trySamples    = step{"samples as they are", nil}
	tryRepair     = step{"a repair", repairAsIs}
	tryBriefly    = step{"a repair", briefly}
	tryStraight   = step{"straight ways", directRung}
	tryArcs       = step{"ways of arcs", turnRung}
	tryFiner      = step{"more waypoints", finerRung}
	tryTurns      = step{"vehicles that take turns", turnsRung}
	tryRound      = step{"ways round obstacles", rerouteRung}
	tryOnSpots    = step{"turns on the spot", spotRung}
	tryOtherTimes = step{"other times on the same ways", shiftRung}
	tryAside      = step{"new ways, robot by robot", stepAsideRung}
	tryTogether   = step{"new ways of all robots together", togetherRung}
	tryCells      = step{"ways on the cells of the map", cellsRung}
)

// deliver chooses the joint sample to drive. With repair on, the best few samples are
// repaired; when none of them becomes safe, robots are led round obstacles, then
// shifted in time, then sent on new ways that let each other pass, which are searched one
// by one, then all together, and in the end on the cells of the map: before, where ways over
// its cells are longer than what is drawn, and at first for crowds on grids. The first of these steps after which some sample is certified ends it, and the preferred sample is
// taken. One that is safe as drawn yields to one that is repaired where that is preferred.
// Without repair, and when nothing helps, it is the sample that fails least.
func (t Team) deliver(ctx context.Context, r *Result, o Options) (*Plan, error) {
	began := time.Now()
	tolerance := 0.0
	if !o.Settings.ExactProjection {
		tolerance = publishedTolerance
	}
	late := t
	t.Lateness = 0 // at first
	w, err := t.world(tolerance)
	if err != nil {
		return nil, err
	}
	w.Brief = t.glancing
	attempts := t.attempts(w, r, o)
	var steps []step
	if o.Settings.Repair {
		steps = t.ladder(r, late.Lateness > 0)
	}
	best, err := t.climbAll(ctx, attempts, steps, o)
	if err != nil {
		return nil, err
	}
	if best.safe() && len(steps) > 0 && ctx.Err() == nil {
		o.tell("shorter ways")
		if best, err = best.team.straighter(ctx, best, o.Prefer); err != nil {
			return nil, err
		}
	}
	if late.Lateness > 0 && best.safe() && ctx.Err() == nil {
		if !slices.Contains(attempts, best) {
			attempts = append(attempts, best)
		}
		for _, a := range attempts {
			a.team = late
		}
		o.tell("lateness")
		if best, err = late.forLate(ctx, attempts, best, o); err != nil {
			return nil, err
		}
	}
	if best.safe() {
		o.tell("the proof")
	}
	best.unproven = t.openEnded // which takes further steps, and proves what comes of them
	d, err := best.finished(ctx, o)
	if err != nil {
		return nil, err
	}
	d.Seconds = time.Since(began).Seconds()
	d.cells, d.onCells = attempts[0].cells, best.cells.Paths != nil // the foremost
	d.ShortOfMemory = slices.ContainsFunc(attempts, func(a *attempt) bool { return a.full })
	return d, best.team.measure(d)
}

// climbAll takes one step after the other until some attempt is certified or the time is up, and returns the one that
// is preferred.
func (t Team) climbAll(ctx context.Context, attempts []*attempt, steps []step, o Options) (best *attempt, err error) {
	if err := climbTogether(whole(ctx), attempts, trySamples, o); err != nil {
		return nil, err
	}
	best = preferred(attempts, o.Prefer)
	if best.safe() && (len(t.Robots) > chooseAmong || !best.yields(o.Prefer)) {
		return best, nil
	}
	for _, s := range steps {
		if err := climbTogether(ctx, attempts, s, o); unlessUp(ctx, err) != nil {
			return nil, err
		}
		best = preferred(attempts, o.Prefer)
		found := t.openEnded && attempts[0].cells.Waypoints > t.waypoints() // ways for which there will be time
		if found || best.safe() || timeIsUp(ctx) {
			break
		}
	}
	return best, nil
}

// finished returns the plan of an attempt. On curves robots arrive early in it, but where that is for later steps, where
// they go from cell to cell as fast as they can already, and where nothing is done to samples.
func (a *attempt) finished(ctx context.Context, o Options) (*Plan, error) {
	if a.safe() && a.team.curved() && !a.team.openEnded && o.Prefer != PreferTime && o.Settings.Repair && a.cells.Paths == nil {
		return a.soonerPlan(ctx, o.Prefer)
	}
	return a.plan(whole(ctx))
}

// ladder returns what is tried one after the other, for a team whose plan is to be certified for robots that
// are late after that or not.
func (t Team) ladder(r *Result, late bool) (steps []step) {
	turns := []step{tryArcs}
	if !late && t.mayBeFiner() {
		turns = append(turns, tryFiner)
	}
	switch spot := slices.ContainsFunc(t.Robots, Robot.onTheSpot); {
	case t.patient:
		return append([]step{tryTurns}, turns[1:]...)
	case t.glancing && spot:
		return []step{tryOnSpots, tryBriefly, tryArcs}
	case t.glancing:
		return []step{tryBriefly, tryStraight, tryArcs, tryRound}
	}
	crowded := t.crowdedCells(r)
	if crowded {
		steps = append(steps, tryCells)
	}
	if slices.ContainsFunc(t.Robots, Robot.onTheSpot) {
		steps = append(steps, tryOnSpots)
	} else if t.openEnded && !crowded { // one of several samples will do, with time enough
		steps = append(steps, tryBriefly, tryStraight, tryArcs, tryRound)
	}
	long := t.onCells() && !crowded // searches in continuous time take minutes over ways as long as these
	if long && t.openEnded {
		steps = append(steps, tryCells)
	}
	steps = append(append(append(steps, tryRepair, tryStraight), turns...), tryRound, tryOnSpots, tryOtherTimes)
	if long && !t.openEnded {
		steps = append(steps, tryCells)
	}
	steps = append(steps, tryAside, tryTogether, tryOnSpots)
	if !long && !crowded {
		steps = append(steps, tryCells)
	}
	return steps
}

// climbTogether takes one step with all attempts. Those of large teams take it in small
// groups, until one is safe: choosing among more of them is not worth their time. The
// groups do not depend on the number of goroutines.
func climbTogether(ctx context.Context, attempts []*attempt, s step, o Options) error {
	o.tell(s.what)
	size := len(attempts)
	if s.climb != nil && len(attempts[0].model) > chooseAmong {
		size = 2
	}
	for group := range slices.Chunk(attempts, size) {
		for _, a := range group {
			a.memory = o.memory() / int64(len(group))
		}
		err := parallel.For(ctx, o.Workers, len(group), func(_, i int) error { return group[i].climb(ctx, s.climb) })
		if err != nil || s.climb != nil && slices.ContainsFunc(group, (*attempt).safe) {
			return err
		}
	}
	return nil
}

// measure adds the measures of the tables to a plan.
func (t Team) measure(d *Plan) error {
	judged, err := t.judge(d.Trajectories)
	if err == nil {
		d.Judged = judged[0]
	}
	return err
}

// attempts returns the joint samples to begin with: those nearest to being safe, all
// of them when they are not repaired.
func (t Team) attempts(w *separation.World, r *Result, o Options) []*attempt {
	var all []*attempt
	for k := range r.Samples[0].N {
		a := &attempt{
			team: t, world: w, routes: t.routes(), sample: k, model: rows(r.Samples, k),
			rerouted: make([]bool, len(t.Robots)), shifted: make([]bool, len(t.Robots)), searched: make([]bool, len(t.Robots)),
		}
		if settled, changed := t.settled(a.model); changed && o.Settings.PinGoal {
			a.model, a.drawn = settled, a.model
		}
		all = append(all, a)
	}
	if !o.Settings.Repair {
		return all
	}
	most := repairedSamples
	if t.patient {
		most = 1 // all would be given much the same turns
	} else if t.glancing {
		most = glanceAt
	}
	if len(all) > most {
		slices.SortStableFunc(all, func(a, b *attempt) int { return faults(r, a.sample) - faults(r, b.sample) })
		all = all[:most]
	}
	all[0].foremost = true
	return all
}

// faults counts what is wrong with a joint sample at its waypoints.
func faults(r *Result, k int) int {
	j := r.Judged[k]
	n := j.Contacts
	for i, hit := range j.Hit {
		if hit {
			n += 4
		}
		if !j.Within(i, r.Limits[i]) {
			n++
		}
	}
	return n
}

// climb takes one step. The first, nil, only judges the sample.
func (a *attempt) climb(ctx context.Context, step rung) error {
	if step == nil {
		a.at = a.model
		a.outcome.Verdict = a.world.Judge(a.at, 0)
		if a.drawn != nil && !a.safe() {
			a.takeDrawn()
		}
		a.measure()
		return nil
	}
	if _, err := step(ctx, a); err != nil {
		return err
	}
	a.measure()
	return nil
}

// takeDrawn takes the sample as drawn where that is safe: those who could have stayed make
// room in it.
func (a *attempt) takeDrawn() {
	if v := a.world.Judge(a.drawn, 0); v.Certified(a.world.Margin) {
		a.model, a.at, a.outcome.Verdict = a.drawn, a.drawn, v
	}
}

func repairAsIs(ctx context.Context, a *attempt) (bool, error) { return true, a.repair(ctx, a.model) }

// pressing is the part of its time from which on a robot has to hurry.
const pressing = 0.75

// directRung lets robots that have to hurry go straight, as gently as their limits allow: alone
// they are within them then, where there is any way to be.
func directRung(ctx context.Context, a *attempt) (changed bool, err error) {
	t := a.team
	if worst := a.outcome.Verdict.Worst(a.world.Margin); !t.curved() || worst != separation.Speed && worst != separation.Acceleration {
		return false, nil
	}
	from, ways := a.model, t.straightWays()
	for i, r := range t.Robots {
		if r.rests() && t.leastStep(r, ways[i]) > pressing*t.Step {
			if points := t.directly(i); points != nil {
				from, changed = t.withWay(from, i, points), true
			}
		}
	}
	if !changed {
		return false, nil
	}
	return true, a.repair(ctx, from)
}

// rerouteTries bounds how often robots that end in obstacles are led round them.
const rerouteTries = 5

func rerouteRung(ctx context.Context, a *attempt) (changed bool, err error) {
	for range rerouteTries {
		paths, again := a.paths(a.at), false
		for i, r := range a.routes.Disks {
			if a.routes.Reroute(r, paths[i]) {
				a.rerouted[i], again = true, true
			}
		}
		if !again {
			return changed, nil
		}
		changed = true
		if err := a.repair(ctx, a.withPaths(paths)); err != nil || a.safe() {
			return changed, err
		}
	}
	return changed, nil
}

func shiftRung(ctx context.Context, a *attempt) (bool, error) {
	paths := a.paths(a.at)
	who := a.routes.Troubled(paths)
	shifted := a.routes.Shift(paths, who, uint64(a.sample))
	if shifted == nil {
		return false, nil
	}
	for _, i := range who {
		a.shifted[i] = a.shifted[i] || !slices.Equal(shifted[i], paths[i])
	}
	return true, a.repair(ctx, a.withPaths(shifted))
}
