package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// A certified plan takes all of the time that it is given, and robots with short ways creep. They therefore go along the
// same ways as fast as stays certified, and stay at their ends: first all together by one clock, so that those who meet
// meet as they did, and then one after the other. Nothing is repaired: what is not certified is driven slower where
// it fails, or on the old clock until it does not fail any more.

const (
	soonerTries  = 16 // paces that are judged for a robot, or for all together
	soonerRounds = 2  // in which each robot is looked at: the second ones find room that the first ones left
	byOneClock   = 16 // robots that go by one clock at most: of more there is always one that holds all others back
)

// sooner lets robots of a certified plan arrive early.
type sooner struct {
	*attempt
	world    separation.World   // with the distances that are kept
	robots   []separation.Robot // with the limits that they are driven by
	now      []driven
	solids   []geom.Box // of the obstacles
	straight bool       // nobody touches anything on straight lines from knot to knot either, as tables may be read
}

// driven is the motion of a robot.
type driven struct {
	control tensor.Batch
	curve   geom.Curve
	boxes   []geom.Box // of runs of spans
}

// sooner returns control points with which robots of an attempt that is certified arrive earlier, nil for none. As far as it
// is seen that is certified, too, and keeps to what is preferred.
func (a *attempt) sooner(ctx context.Context, prefer Preference) (out []tensor.Batch) {
	s := &sooner{attempt: a, world: *a.world}
	s.world.Margin = a.kept(prefer)
	for _, o := range a.world.Obstacles {
		s.solids = append(s.solids, o.Bounds())
	}
	for i, x := range a.at {
		s.now = append(s.now, s.motion(i, x))
	}
	s.robots = a.world.Robots
	if prefer != PreferTime {
		s.robots = gentle(s.robots, s.now)
	}
	s.straight = !slices.ContainsFunc(everybody(len(s.now)), func(i int) bool {
		w, curves := s.around(s.now, i)
		_, h := s.touches(w, curves)
		return h >= 0
	})
	gained := s.alike() && s.drive(everybody(len(a.at)))
	for range soonerRounds {
		some := s.each(ctx)
		if gained = gained || some; !some {
			break
		}
	}
	for _, m := range s.now {
		if gained {
			out = append(out, m.control)
		}
	}
	return out
}

// soonerPlan returns the plan of an attempt that is certified, in which robots arrive early where that is certified as well.
func (a *attempt) soonerPlan(ctx context.Context, prefer Preference) (*Plan, error) {
	b := *a
	if b.at = a.sooner(ctx, prefer); b.at == nil {
		return a.plan(ctx)
	}
	p, err := b.plan(ctx)
	if err != nil || !p.Certificate.Certified { // the judge of all has the last word
		return a.plan(ctx)
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

// passes reports whether a robot does not stay at its goal.
func (r Robot) passes() bool { return r.GoalVelocity != (geom.Vec2{}) }

// alike reports whether all may go by one clock: few robots that all stay at their goals, and no traffic, whose clock stays what it is.
func (s *sooner) alike() bool {
	return len(s.now) <= byOneClock && len(s.world.Traffic) == 0 && !slices.ContainsFunc(s.team.Robots, Robot.passes)
}

// each drives one robot after the other, the latest first, and reports whether one arrives earlier.
func (s *sooner) each(ctx context.Context) (some bool) {
	order := everybody(len(s.now))
	slices.SortStableFunc(order, func(i, j int) int { return int(s.arrival(j) - s.arrival(i)) })
	for _, i := range order {
		if ctx.Err() != nil {
			break
		}
		if !s.team.Robots[i].passes() && (s.settle(i) || s.drive([]int{i})) {
			some = true
		}
	}
	return some
}

// settle lets a robot that has nothing to do stay where it is, where a repair moved it for nothing.
func (s *sooner) settle(i int) bool {
	if !s.team.stays(s.team.Robots[i]) || s.arrival(i) == 0 {
		return false
	}
	next, still := slices.Clone(s.now), s.now[i].control.Clone()
	for h := channels; h < len(still.Data); h += channels {
		copy(still.Data[h:h+2], still.Data[:2])
	}
	next[i] = s.motion(i, still)
	if _, wrong := s.wrong(next, []int{i}); wrong != nil || !s.follows(next, []int{i}) {
		return false
	}
	s.now = next
	return true
}

// drive lets some robots go by one clock as fast as is certified, and reports whether they arrive earlier.
func (s *sooner) drive(who []int) bool {
	last := 0.0
	for _, i := range who {
		last = max(last, s.arrival(i))
	}
	if last < 2 {
		return false
	}
	p := s.pace(who)
	for try := range soonerTries {
		law := p.law()
		if timeOf(law, last) > last-1 {
			break
		}
		phases := phasesOf(law)
		next := s.along(who, phases)
		if s.limited(p, next, phases, who) {
			continue
		}
		kind, wrong := s.wrong(next, who)
		if wrong == nil && s.follows(next, who) {
			s.now = next
			return true
		}
		p.give(kind, wrong, phases, len(who) == 1, try)
	}
	return false
}

// give changes a pace that is not certified: where something is wrong, or everywhere where that is nowhere. One robot that
// touches another one waits for it as it did, and so does one whose turns slower paces do not mend.
func (p *pace) give(kind separation.Kind, wrong *separation.Margin, phases []float64, single bool, try int) {
	switch {
	case wrong == nil:
		p.slow(0, phases[len(phases)-1], 1.5, 1)
	case single && (kind == separation.Bodies || kind >= separation.Turning && try >= soonerTries/3):
		p.hold(phases[wrong.Segment+1] + 1)
	default:
		p.slow(phases[wrong.Segment]-1, phases[wrong.Segment+1]+1, 2, 1)
	}
}

// arrival returns the waypoint from which robot i stays.
func (s *sooner) arrival(i int) float64 {
	return arrivalOf(s.now[i].curve, s.world.Robots[i].Radius)
}

// pace returns the pace that the limits of some robots let them have.
func (s *sooner) pace(who []int) *pace {
	p := newPace(s.now[0].curve.Spans())
	for _, i := range who {
		p.add(s.robots[i], s.now[i].curve)
	}
	return p
}

// along returns all motions, with some robots at some phases of theirs at the waypoints.
func (s *sooner) along(who []int, phases []float64) []driven {
	next := slices.Clone(s.now)
	for _, i := range who {
		was := s.now[i]
		points := geom.Points(nil, was.control.Data, channels)
		for h := range points {
			points[h] = points[h].Add(s.world.Origin)
		}
		ahead := atPhases(phases, points, was.curve, s.arrival(i))
		straightEnds(ahead, s.team.Robots[i])
		x := s.team.withWay([]tensor.Batch{was.control}, 0, ahead)
		next[i] = s.motion(i, x[0])
	}
	return next
}

// gentle returns robots of which those without a limit of acceleration have one: what the hardest of them needs as it moves.
func gentle(robots []separation.Robot, as []driven) []separation.Robot {
	most := 0.0
	for i, r := range robots {
		if r.Change == 0 {
			most = max(most, hardest(r, as[i].curve))
		}
	}
	robots = slices.Clone(robots)
	for i := range robots {
		robots[i].Change = cmp.Or(robots[i].Change, most)
	}
	return robots
}

// hardest returns how hard a robot accelerates on its curve, in the units of its limits.
func hardest(r separation.Robot, c geom.Curve) (most float64) {
	unit := [2]float64{cmp.Or(r.Unit[0], 1), cmp.Or(r.Unit[1], 1)}
	for h := range c.Spans() {
		for t := range 2 { // accelerations are linear over a span
			a := c.Span(h).Acceleration(float64(t))
			most = max(most, math.Hypot(a.X/unit[0], a.Y/unit[1]))
		}
	}
	return most
}

// motion returns the motion of robot i.
func (s *sooner) motion(i int, control tensor.Batch) driven {
	const run = 8 // spans
	w := s.world
	w.Robots, w.Traffic = w.Robots[i:i+1], nil
	m := driven{control: control, curve: w.Curves([]tensor.Batch{control}, 0)[0]}
	for h := range m.curve.Spans() {
		box := m.curve.Span(h).Bounds()
		if h%run == 0 {
			m.boxes = append(m.boxes, box)
		}
		m.boxes[h/run] = m.boxes[h/run].Join(box)
	}
	return m
}

// limited reports whether robots go beyond their limits, and lets them go slower there.
func (s *sooner) limited(p *pace, next []driven, phases []float64, who []int) (slower bool) {
	const gentler = 0.8
	for _, i := range who {
		for h := range next[i].curve.Spans() {
			if f := usedOn(s.robots[i], next[i].curve, h); f > 1-spare/4 {
				p.slow(phases[h]-0.5, phases[h+1]+0.5, f*(1+spare), gentler)
				slower = true
			}
		}
	}
	return slower
}

// wrong returns the first constraint that is not kept where some robots move otherwise, nil for none.
func (s *sooner) wrong(next []driven, who []int) (separation.Kind, *separation.Margin) {
	for _, i := range who {
		w, curves := s.around(next, i)
		if k, m, fails := w.FirstFailing(curves, 0); fails {
			return k, &m
		}
		if k, h := s.touches(w, curves); s.straight && h >= 0 {
			return k, &separation.Margin{Segment: h}
		}
	}
	return 0, nil
}

// touches returns what the first robot of a world touches where all go straight from knot to knot, and the first span of that;
// -1 for none.
func (s *sooner) touches(w *separation.World, curves []geom.Curve) (separation.Kind, int) {
	own, r, keep := curves[0].X, w.Robots[0].Radius, s.attempt.world.Margin
	kind, first := separation.Bodies, len(own)-1
	for j, c := range curves[1:] {
		for h := range first {
			if gap, _ := gaps.Relative(own[h].Sub(c.X[h]), own[h+1].Sub(c.X[h+1]), r+w.Robots[j+1].Radius); gap < keep {
				first = h
				break
			}
		}
	}
	for _, o := range w.Obstacles {
		box := o.Bounds()
		for h := range first {
			step := geom.Segment{A: own[h], B: own[h+1]}
			if !overlap(step.Bounds(), box, r+keep) {
				continue
			}
			if gap, _ := gaps.Segment(o, step, r); gap < keep {
				kind, first = separation.Obstacles, h
				break
			}
		}
	}
	if first == len(own)-1 {
		return 0, -1
	}
	return kind, first
}

// around returns robot i, the first one of them, and what is near its way.
func (s *sooner) around(next []driven, i int) (*separation.World, []geom.Curve) {
	w, own := s.world, next[i]
	w.Robots, w.Obstacles = []separation.Robot{w.Robots[i]}, nil
	curves, keep, whole := []geom.Curve{own.curve}, s.world.Robots[i].Radius+w.Margin, own.boxes[0]
	for _, b := range own.boxes {
		whole = whole.Join(b)
	}
	for j, m := range next {
		if j != i && (w.Lateness > 0 || meet(own.boxes, m.boxes, keep+s.world.Robots[j].Radius)) {
			w.Robots, curves = append(w.Robots, s.world.Robots[j]), append(curves, m.curve)
		}
	}
	for k, o := range s.world.Obstacles {
		if overlap(whole, s.solids[k], 2*keep) {
			w.Obstacles = append(w.Obstacles, o)
		}
	}
	return &w, curves
}

// meet reports whether two boxes at one time are no farther from each other than a distance.
func meet(a, b []geom.Box, distance float64) bool {
	for k := range a {
		if overlap(a[k], b[k], distance) {
			return true
		}
	}
	return false
}

func overlap(a, b geom.Box, distance float64) bool {
	return max(b.Min.X-a.Max.X, a.Min.X-b.Max.X, b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y) <= distance*(1+1e-9)
}

// follows reports whether robots follow the motion pattern of the map as well as before.
func (s *sooner) follows(next []driven, who []int) bool {
	pattern := s.team.Map.Pattern
	if pattern == nil {
		return true
	}
	adherence := func(m driven) float64 {
		path := make([]geom.Vec2, len(m.curve.X))
		for h, x := range m.curve.X {
			path[h] = s.team.frame().ToMap(x)
		}
		return pattern.Adherence(path)
	}
	return !slices.ContainsFunc(who, func(i int) bool { return adherence(next[i]) < adherence(s.now[i]) })
}
