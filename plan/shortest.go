package plan

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/plan/internal/turns"
	"github.com/go-pcd/pcd/tensor"
)

// A plan in the shortest time begins with one that has time enough. Its ways are then driven
// faster: as fast as the limits let them as they are, which needs no search, and then, by
// bisection of the time between waypoints, as fast as repairs under the tighter limits are
// certified. In the end everybody arrives as early as a repair allows, and stays.

// The time for the first plan, in that for the longest way alone, and how often it is doubled
// when there is no plan.
const (
	firstTime = 1.5
	doublings = 6
)

// lateDoublings is how often the time for the first plan is doubled to certify it for robots that
// are late, where it is without.
const lateDoublings = 2

// The number of repairs under tighter limits: of teams of up to so many robots.
var hastenings = []struct{ robots, repairs int }{{16, 6}, {40, 4}, {math.MaxInt, 2}}

// firstStep returns the time between waypoints that the first plan of a team in the shortest
// time has, 0 where no robot has a limit.
func (t Team) firstStep() (step float64) {
	ways := t.roundedWays()
	for i, r := range t.Robots {
		least := t.leastStep(r, ways[i])
		if way := r.Goal.Sub(r.Start); least > 0 && r.onTheSpot() {
			least += (turns.SpotTime(r.TurnRate, r.StartHeading, way) + turns.SpotTime(r.TurnRate, r.GoalHeading, way)) / float64(t.waypoints()-1)
		}
		step = max(step, least)
	}
	return firstTime * step
}

// WithTimeEnough returns a team in the shortest time with a time that is enough for its ways instead, in
// whole seconds and at least what it has: for who plans again and again, and never has time to look for the shortest.
// Other teams, and those without limits, are returned as they are. The team is one that [Team.Check] takes.
func (t Team) WithTimeEnough() Team {
	if !t.Shortest {
		return t
	}
	t.Shortest = false
	steps := float64(t.waypoints())
	if seconds := math.Ceil(t.firstStep() * steps); seconds > t.Step*steps {
		return t.paced(seconds)
	}
	return t
}

// checkShortest returns an error for a team for which no time is the shortest.
func (t Team) checkShortest(s Settings) error {
	const anyTime = 1e6 // seconds: whatever else is wrong with the team
	t.Step = anyTime
	switch err := t.Check(s); {
	case err != nil:
		return err
	case !t.curved():
		return &TeamError{Reason: "the shortest duration with motion polyline, want a duration: steps of straight ways are not what a robot can drive"}
	case !(t.firstStep() > 0) && !slices.ContainsFunc(t.Robots, func(r Robot) bool { return !t.stays(r) }):
		return &TeamError{Reason: "the shortest duration, and nobody moves: give a duration"}
	case !(t.firstStep() > 0):
		return &TeamError{Reason: "the shortest duration, and no robot that moves has a limit of speed or acceleration: give one, or a duration"}
	}
	return nil
}

// runShortest plans in the shortest time that is found.
func (t Team) runShortest(ctx context.Context, o Options) (out *Result, err error) {
	t.Step, t.Shortest, t.openEnded = t.firstStep(), false, true
	slower := t
	if slices.ContainsFunc(t.Robots, Robot.turns) {
		out, slower, err = t.glance(ctx, o)
	}
	if err == nil && out == nil {
		out, slower, err = t.unhurried(ctx, o)
	}
	if err != nil || out.Plan == nil {
		return out, err
	}
	t = slower.asFineAs(out.Plan)
	t.Lateness = out.Plan.Certificate.Lateness
	o.tell("less time")
	if t.onCells() && (out.Plan.onCells || len(t.Robots) > chooseAmong) {
		out.Plan, err = t.trim(ctx, out.Plan)
		return out, err
	}
	out.Plan, err = t.hasten(ctx, out.Plan)
	return out, err
}

// unhurried returns a plan with time enough, and the team in its time.
func (t Team) unhurried(ctx context.Context, o Options) (out *Result, slower Team, err error) {
	seconds := t.Step * float64(t.waypoints())
	var latest *Result // a plan, and the team in its time, for less lateness than is asked for
	most := doublings
	if t.turning().Stuck() {
		most = 1 // more time would not help
	}
	for k := range most {
		t = t.paced(seconds)
		if out, err = t.runOnce(ctx, o); err != nil || out.Status != pcd.Complete {
			break
		}
		if p := out.Plan; p != nil && (latest == nil || p.Certificate.Lateness > latest.Plan.Certificate.Lateness) {
			latest, slower = out, t
		}
		if timeIsUp(ctx) {
			break
		}
		if latest != nil && (out.Plan != nil && out.Plan.Certificate.Lateness >= t.Lateness || k >= lateDoublings) {
			break
		}
		if seconds *= 2; out.Refusal != nil && out.Refusal.Seconds > 0 {
			seconds = out.Refusal.Seconds // of ways that are there
		}
	}
	if latest != nil && err == nil {
		return latest, slower, nil
	}
	return out, t, err
}

// hurry is a certified plan that becomes faster.
type hurry struct {
	team    Team // at the time between waypoints that is certified
	plan    *Plan
	control []tensor.Batch
	least   float64 // time between waypoints that none can be below
	patient bool    // there is time to look for the earliest arrivals
}

// shares are the parts of the time between its earliest arrival and the one that it has that a robot
// is let take.
func (u *hurry) shares() []float64 {
	if u.patient {
		return []float64{0.3, 0.65, 0.85}
	}
	return []float64{0.3, 0.65}
}

// hasten returns a faster plan of the same ways.
func (t Team) hasten(ctx context.Context, p *Plan) (*Plan, error) {
	u := &hurry{team: t, plan: p, control: p.control, least: t.leastSteps(t.straightWays())}
	return u.run(ctx, u.asTheyAre, u.alone, u.tighter, u.early)
}

// trim returns a plan of moves from cell to cell without the waypoints after which everybody stays.
// They are as fast as limits let them be already.
func (t Team) trim(ctx context.Context, p *Plan) (*Plan, error) {
	u := &hurry{team: t, plan: p, control: p.control}
	return u.run(ctx, func(ctx context.Context) error {
		last := 0
		for _, x := range u.control {
			last = max(last, arrivedAt(x.Sample(0)))
		}
		n := last + 2 // one at rest
		if n >= t.waypoints() || n < 4 {
			return nil
		}
		control := make([]tensor.Batch, len(u.control))
		for i, x := range u.control {
			control[i] = tensor.Batch{N: 1, Shape: tensor.Shape{n, channels}, Data: x.Data[:n*channels]}
		}
		u.team.Waypoints = n
		if _, err := u.take(ctx, t.Step, control, nil); err != nil || len(u.plan.Times) != n {
			u.team = t
			return err
		}
		u.plan.Changes = p.Changes
		return nil
	})
}

// arrivedAt returns the waypoint from which a trajectory stays.
func arrivedAt(s []float32) int {
	h := len(s)/channels - 1
	end := s[h*channels : h*channels+2]
	for h > 0 && s[(h-1)*channels] == end[0] && s[(h-1)*channels+1] == end[1] {
		h--
	}
	return h
}

// atOnce returns a plan of the same ways and duration in which everybody arrives early: with repairs, or without
// where that is earlier.
func (t Team) atOnce(ctx context.Context, p *Plan) (*Plan, error) {
	u := &hurry{team: t, plan: p, control: p.control, patient: true}
	return u.run(ctx, func(ctx context.Context) error {
		v := *u
		for _, step := range []func(context.Context) error{v.sooner, u.early, u.sooner} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		if t.Arrival(v.plan) < t.Arrival(u.plan) {
			*u = v
		}
		return nil
	})
}

// sooner drives the same curves as fast as is certified, without repairs.
func (u *hurry) sooner(ctx context.Context) error {
	a, err := u.team.attemptOf(ctx, u.control)
	if err != nil {
		return err
	}
	if control := a.sooner(ctx, PreferTime); control != nil {
		_, err = u.take(ctx, u.team.Step, control, nil)
	}
	return err
}

// run takes steps and returns what comes of them.
func (u *hurry) run(ctx context.Context, steps ...func(context.Context) error) (*Plan, error) {
	began := time.Now()
	for _, step := range steps {
		if err := step(ctx); unlessUp(ctx, err) != nil {
			return nil, err
		}
	}
	if c := &u.plan.Certificate; c.Proof.Bodies == nil && c.Proof.Obstacles == nil {
		proof, _, err := c.World.WitnessCurves(whole(ctx), u.plan.Curves)
		if err != nil {
			return nil, err
		}
		c.Proof = proof
	}
	u.plan.Seconds += time.Since(began).Seconds()
	return u.plan, u.team.measure(u.plan)
}

// take judges joint control points at a time between waypoints, lets them be repaired unless repair
// is nil, and keeps what is certified.
func (u *hurry) take(ctx context.Context, step float64, control []tensor.Batch, repair rung) (bool, error) {
	t := u.team
	t.Step = step
	a, err := t.attemptOf(ctx, control)
	if err != nil {
		return false, err
	}
	if !a.safe() && repair != nil {
		if err := a.climb(ctx, repair); err != nil {
			return false, err
		}
	}
	if !a.safe() {
		return false, nil
	}
	a.unproven = true // until all steps are taken
	p, err := a.plan(ctx)
	if err != nil || !p.Certificate.Certified {
		return false, err
	}
	p.Sample, p.Changes, p.Seconds, p.Rounds = u.plan.Sample, u.plan.Changes, u.plan.Seconds, u.plan.Rounds+p.Rounds
	p.Displacement = max(p.Displacement, u.plan.Displacement)
	if !slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Kind == Hastened }) {
		p.Changes = append(slices.Clone(p.Changes), Change{Kind: Hastened})
	}
	u.team, u.plan, u.control = t, p, p.control
	return true, nil
}

// asTheyAre drives the same curves as fast as all limits let them.
func (u *hurry) asTheyAre(ctx context.Context) error {
	if len(u.team.Traffic) > 0 || slices.ContainsFunc(u.team.Robots, func(r Robot) bool { return !r.rests() }) {
		return nil
	}
	if f := profile.Used(u.plan.Certificate.World, u.plan.Curves); f < 1-profile.Spare {
		_, err := u.take(ctx, u.team.Step*f*(1+profile.Spare), u.control, nil)
		return err
	}
	return nil
}

// alone tries what a robot that is alone can do: everybody sprints, in the least time.
func (u *hurry) alone(ctx context.Context) error {
	step := u.least * (1 + 2*profile.Spare)
	if !(step < u.team.Step) {
		return nil
	}
	t := u.team
	t.Step = step
	control := u.control
	for i, c := range u.plan.Curves {
		if !t.Robots[i].rests() || t.stays(t.Robots[i]) {
			continue
		}
		if points := t.sprint(i, c); points != nil {
			control = t.withWay(control, i, points)
		}
	}
	var repair rung
	if len(t.Robots) == 1 {
		repair = repairAsIs
	}
	_, err := u.take(ctx, step, control, repair)
	return err
}

// tighter repairs under tighter and tighter limits, as long as that is certified.
func (u *hurry) tighter(ctx context.Context) error {
	low := u.least
	for range u.repairs() {
		high := u.team.Step
		if high <= low*(1+4*profile.Spare) {
			break
		}
		mid := math.Sqrt(low * high)
		if low == 0 {
			mid = high / 2
		}
		ok, err := u.take(ctx, mid, u.control, quickly)
		if err != nil {
			return err
		}
		if !ok {
			low = mid
		}
	}
	return nil
}

func (u *hurry) repairs() int {
	for _, row := range hastenings {
		if len(u.team.Robots) <= row.robots {
			return row.repairs
		}
	}
	return 0
}

// briefly repairs a joint trajectory in one manner: what fails is tried again, with more time.
func briefly(ctx context.Context, a *attempt) (bool, error) {
	all := a.world
	w := *all
	w.Brief = true
	a.world = &w
	err := a.repair(ctx, a.at)
	a.world = all
	return true, err
}
