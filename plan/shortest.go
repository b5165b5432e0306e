package plan

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
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
func (t Team) firstStep() float64 { return firstTime * t.leastSteps(t.roundedWays()) }

// checkShortest returns an error for a team for which no time is the shortest.
func (t Team) checkShortest(s Settings) error {
	const anyTime = 1e6 // seconds: whatever else is wrong with the team
	t.Step = anyTime
	switch err := t.Check(s); {
	case err != nil:
		return err
	case !t.curved():
		return &TeamError{Reason: "the shortest duration with motion polyline, want a duration: steps of straight ways are not what a robot can drive"}
	case !(t.firstStep() > 0):
		return &TeamError{Reason: "the shortest duration, and no robot that moves has a limit of speed or acceleration: give one, or a duration"}
	}
	return nil
}

// runShortest plans in the shortest time that is found.
func (t Team) runShortest(ctx context.Context, o Options) (out *Result, err error) {
	t.Step, t.Shortest, t.openEnded = t.firstStep(), false, true
	seconds := t.Step * float64(t.waypoints())
	var latest *Result // a plan, and the team in its time, for less lateness than is asked for
	var slower Team
	for k := range doublings {
		t = t.paced(seconds)
		if out, err = t.runOnce(ctx, o); err != nil || out.Status != pcd.Complete {
			break
		}
		if p := out.Plan; p != nil && (latest == nil || p.Certificate.Lateness > latest.Plan.Certificate.Lateness) {
			latest, slower = out, t
		}
		if latest != nil && (out.Plan != nil && out.Plan.Certificate.Lateness >= t.Lateness || k >= lateDoublings) {
			break
		}
		if seconds *= 2; out.Refusal != nil && out.Refusal.Seconds > 0 {
			seconds = out.Refusal.Seconds // of ways that are there
		}
	}
	if latest != nil && err == nil {
		out, t = latest, slower
	}
	if err != nil || out.Plan == nil {
		return out, err
	}
	t.Lateness = out.Plan.Certificate.Lateness
	if t.onCells() {
		out.Plan, err = t.trim(ctx, out.Plan)
		return out, err
	}
	out.Plan, err = t.hasten(ctx, out.Plan)
	return out, err
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

// atOnce returns a plan of the same ways and duration in which everybody arrives early.
func (t Team) atOnce(ctx context.Context, p *Plan) (*Plan, error) {
	u := &hurry{team: t, plan: p, control: p.control, patient: true}
	return u.run(ctx, u.early)
}

// run takes steps and returns what comes of them.
func (u *hurry) run(ctx context.Context, steps ...func(context.Context) error) (*Plan, error) {
	began := time.Now()
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if c := &u.plan.Certificate; c.Proof.Bodies == nil && c.Proof.Obstacles == nil {
		proof, _, err := c.World.WitnessCurves(ctx, u.plan.Curves)
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
	if f := used(u.plan.Certificate.World, u.plan.Curves); f < 1-spare {
		_, err := u.take(ctx, u.team.Step*f*(1+spare), u.control, nil)
		return err
	}
	return nil
}

// used returns by which factor curves can be driven faster within the limits of speed and
// acceleration.
func used(w *separation.World, curves []geom.Curve) (f float64) {
	for i, c := range curves {
		r := w.Robots[i]
		unit := [2]float64{cmp.Or(r.Unit[0], 1), cmp.Or(r.Unit[1], 1)}
		norm := func(v geom.Vec2) float64 { return math.Hypot(v.X/unit[0], v.Y/unit[1]) }
		for h := range c.Spans() {
			b := c.Span(h)
			for k := range 3 {
				if r.Step > 0 {
					f = max(f, 3*norm(b[k+1].Sub(b[k]))/r.Step)
				}
				if v := b.Velocity(float64(k) / 2); r.TurnRate > 0 && v != (geom.Vec2{}) {
					f = max(f, 1.05*math.Abs(v.Cross(b.Acceleration(float64(k)/2)))/v.Dot(v)/r.TurnRate)
				}
				if r.Change > 0 && k < 2 {
					f = max(f, math.Sqrt(norm(b.Acceleration(float64(k)))/r.Change))
				}
			}
		}
	}
	return f
}

// alone tries what a robot that is alone can do: everybody sprints, in the least time.
func (u *hurry) alone(ctx context.Context) error {
	step := u.least * (1 + 2*spare)
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
		if high <= low*(1+4*spare) {
			break
		}
		mid := math.Sqrt(low * high)
		if low == 0 {
			mid = high / 2
		}
		ok, err := u.take(ctx, mid, u.control, briefly)
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
	return arrivalOf(u.plan.Curves[i], u.plan.Certificate.World.Robots[i].Radius)
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
		among := *a.world
		among.Robots, among.Traffic, among.Brief = a.world.Robots[i:i+1], slices.Clone(a.world.Traffic), true
		for j, c := range a.world.Curves(a.at, 0) {
			if j == i {
				continue
			}
			m := separation.Mover{Radius: a.world.Robots[j].Radius, Path: c.X}
			for _, v := range c.V {
				m.Steps = append(m.Steps, v.Scale(c.Step))
			}
			among.Traffic = append(among.Traffic, m)
		}
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
			out = append(out, hurried(c, was, part))
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
	routes, r, c := u.team.routes(), u.team.Robots[i], u.plan.Curves[i]
	way := routes.Round(routes.Disks[i], r.Start, r.Goal)
	if way == nil || geom.Length(way)*u.team.frame().Scale > worth*lengthOf(c) {
		return nil
	}
	for k := range way {
		way[k] = u.team.frame().FromMap(way[k])
	}
	way[0], way[len(way)-1] = c.X[0], c.X[len(c.X)-1]
	return way
}
