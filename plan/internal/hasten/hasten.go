package hasten

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

const (
	tries      = 16 // paces for a robot, or for all together
	rounds     = 2  // in which each robot is looked at: the second ones find room that the first ones left
	byOneClock = 16 // robots that go by one clock at most: of more there is always one that holds all others back
)

// haste is a task on its way: robots as they move now.
type haste struct {
	*Task
	world    separation.World   // with the distances that are kept
	limits   []separation.Robot // that robots are driven by
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

func newHaste(t *Task) *haste {
	s := &haste{Task: t, world: t.World}
	s.world.Margin = t.Keep
	for _, o := range s.world.Obstacles {
		s.solids = append(s.solids, o.Bounds())
	}
	for i, x := range t.Control {
		s.now = append(s.now, s.motion(i, x))
	}
	if s.limits = s.world.Robots; t.Gentle {
		s.limits = gentle(s.limits, s.now)
	}
	s.straight = !slices.ContainsFunc(s.everybody(), func(i int) bool {
		w, curves := s.around(s.now, i)
		_, h := s.touches(w, curves)
		return h >= 0
	})
	return s
}

func (s *haste) everybody() []int {
	all := make([]int, len(s.now))
	for i := range all {
		all[i] = i
	}
	return all
}

// alike reports whether all may go by one clock: few robots that all stay at their goals, and no traffic, whose clock stays what it is.
func (s *haste) alike() bool {
	return len(s.now) <= byOneClock && len(s.world.Traffic) == 0 && !slices.ContainsFunc(s.Robots, func(r Robot) bool { return r.Passes })
}

// each drives one robot after the other, the latest first, and reports whether one arrives earlier.
func (s *haste) each(ctx context.Context) (some bool) {
	order := s.everybody()
	slices.SortStableFunc(order, func(i, j int) int { return int(s.arrival(j) - s.arrival(i)) })
	for _, i := range order {
		if ctx.Err() != nil {
			break
		}
		if !s.Robots[i].Passes && (s.settle(i) || s.drive([]int{i})) {
			some = true
		}
	}
	return some
}

// settle lets a robot that has nothing to do stay where it is, where a repair moved it for nothing.
func (s *haste) settle(i int) bool {
	if !s.Robots[i].Stays || s.arrival(i) == 0 {
		return false
	}
	next, still := slices.Clone(s.now), s.now[i].control.Clone()
	row := still.Shape[1]
	for h := row; h < len(still.Data); h += row {
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
func (s *haste) drive(who []int) bool {
	last := 0.0
	for _, i := range who {
		last = max(last, s.arrival(i))
	}
	if last < 2 {
		return false
	}
	p := s.paceOf(who)
	for try := range tries {
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
	case single && (kind == separation.Bodies || kind >= separation.Turning && try >= tries/3):
		p.hold(phases[wrong.Segment+1] + 1)
	default:
		p.slow(phases[wrong.Segment]-1, phases[wrong.Segment+1]+1, 2, 1)
	}
}

// arrival returns the waypoint from which robot i stays.
func (s *haste) arrival(i int) float64 {
	return profile.Arrival(s.now[i].curve, s.world.Robots[i].Radius)
}

// paceOf returns the pace that the limits of some robots let them have.
func (s *haste) paceOf(who []int) *pace {
	p := newPace(s.now[0].curve.Spans())
	for _, i := range who {
		p.add(s.limits[i], s.now[i].curve)
	}
	return p
}

// along returns all motions, with some robots at some phases of theirs at the waypoints.
func (s *haste) along(who []int, phases []float64) []driven {
	next := slices.Clone(s.now)
	for _, i := range who {
		was := s.now[i]
		points := geom.Points(nil, was.control.Data, was.control.Shape[1])
		for h := range points {
			points[h] = points[h].Add(s.world.Origin)
		}
		ahead := atPhases(phases, points, was.curve, s.arrival(i))
		straightEnds(ahead, s.Robots[i])
		next[i] = s.motion(i, s.with(was.control, ahead))
	}
	return next
}

// with returns control points that lie elsewhere between their ends.
func (s *haste) with(control tensor.Batch, points []geom.Vec2) tensor.Batch {
	out, row := control.Clone(), control.Shape[1]
	for h := 1; h < len(points)-1; h++ {
		p := points[h].Sub(s.world.Origin)
		out.Data[h*row], out.Data[h*row+1] = float32(p.X), float32(p.Y)
	}
	return out
}

// motion returns the motion of robot i.
func (s *haste) motion(i int, control tensor.Batch) driven {
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
func (s *haste) limited(p *pace, next []driven, phases []float64, who []int) (slower bool) {
	const gentler = 0.8
	for _, i := range who {
		for h := range next[i].curve.Spans() {
			if f := profile.UsedOn(s.limits[i], next[i].curve, h); f > 1-profile.Spare/4 {
				p.slow(phases[h]-0.5, phases[h+1]+0.5, f*(1+profile.Spare), gentler)
				slower = true
			}
		}
	}
	return slower
}
