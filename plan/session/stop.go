package session

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// brakingSlack is the part of the acceleration that braking leaves to rounding.
const brakingSlack = 1e-3

// stop returns the first certified plan to stop, nil if there is none.
func (at situation) stop() (*Plan, error) {
	brakes := at.brakes()
	for k, x := range brakes {
		if p, err := at.stopAlong(x, k == len(brakes)-1); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// stopAlong returns the plan to stop along one of the ways to brake, nil where it is not certified. The last of these is
// straight ahead; where that is none either, robots may brake along the very curves of the plan before.
func (at situation) stopAlong(x []tensor.Batch, straight bool) (*Plan, error) {
	p, err := at.judged(x, Stopped)
	if p != nil || err != nil || !straight {
		return p, err
	}
	if curves := at.brakedCurves(); curves != nil {
		if p, err = at.along(at.team, curves, Stopped); p != nil || err != nil {
			return p, err
		}
	}
	for _, curves := range at.brakedAlong() {
		if p, err = at.along(at.team, curves, Stopped); p != nil || err != nil {
			return p, err
		}
	}
	return nil, nil
}

// brakedCurves returns the motion on which all robots brake straight ahead, with the digits of float64, nil where no
// robot turns: a vehicle that comes to rest along waypoints of float32 seems to turn in the last of its way.
func (at situation) brakedCurves() (out []geom.Curve) {
	t := at.team
	if t.Motion == plan.Polyline || !slices.ContainsFunc(t.Robots, func(r plan.Robot) bool { return r.TurnRate > 0 || r.TurningRadius > 0 }) {
		return nil
	}
	for i, r := range t.Robots {
		points := at.brakingWay(i)
		c := geom.NaturalSpline(points, t.Step, r.StartVelocity.Scale(t.TaskFrame().Scale), geom.Vec2{})
		last := len(points) - 1
		rounding := 0x1p-40 * (math.Abs(points[last].X) + math.Abs(points[last].Y) + points[0].Dist(points[1]))
		for h := last; h > 0 && c.X[h].Dist(points[last]) <= rounding && c.V[h].Norm()*t.Step <= rounding; h-- {
			c.X[h], c.V[h] = points[last], geom.Vec2{}
		}
		for h := range c.X {
			c.X[h] = c.X[h].Add(t.Origin())
		}
		out = append(out, c)
	}
	return out
}

// repairedStop repairs plans to stop until one is certified, nil if none is.
func (at situation) repairedStop(ctx context.Context, reason error) (*Plan, error) {
	for _, x := range at.brakes() {
		t := at.ending(x)
		p, err := t.Repair(ctx, x)
		if err != nil || !p.Certificate.Certified {
			continue // the robot cannot come to rest where this way ends, or there is no time
		}
		var stop *Plan
		if p.Curves != nil {
			stop, err = at.along(t, p.Curves, Stopped)
		} else {
			stop, err = at.judged(p.Trajectories, Stopped)
		}
		if stop != nil || err != nil {
			return stop.because(reason), err
		}
	}
	return nil, nil
}

// leastBad returns the plan to stop that does least harm, none of which is certified, and the
// constraint that it breaks most.
func (at situation) leastBad() (least *Plan, worst *plan.ConstraintMargin) {
	var best harm
	look := func(p *Plan, err error) {
		if err != nil {
			return // where this way ends is not known
		}
		p.Contacts = contactsOf(p)
		if h := harmOf(p); least == nil || h.less(best) {
			least, best = p, h
		}
	}
	for _, x := range at.brakes() {
		look(at.made(x, Unsafe))
	}
	for _, curves := range at.brakedAlong() {
		look(onCurves(at.team, curves, Unsafe))
	}
	return least, least.Certificate.Worst()
}

// brakes returns joint trajectories on which all robots come to rest and stay. Along
// the plan before they slow down together, from at once to slowly: at every moment
// they stand to each other as at some moment of that plan, so that they keep apart if
// they did. Otherwise each brakes straight ahead.
func (at situation) brakes() (out [][]tensor.Batch) {
	if at.tail != nil {
		for n := 1; n < at.tail[0].Shape[0]; n *= 2 {
			out = append(out, slowed(at.tail, n))
		}
	}
	var straight []tensor.Batch
	for i := range at.team.Robots {
		straight = append(straight, at.straightOn(i))
	}
	return append(out, straight)
}

// slowed returns a joint trajectory that is driven slower from step to step and rests
// after n steps.
func slowed(x []tensor.Batch, n int) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, from := range x {
		out[i] = from.Clone()
		s := 0.0
		for h := 1; h < from.Shape[0]; h++ {
			s += max(0, 1-float64(h)/float64(n))
			p := between(from.Data, s)
			out[i].Data[h*channels], out[i].Data[h*channels+1] = p[0], p[1]
		}
	}
	return out
}

// between returns the position of a trajectory at waypoint s, which need not be whole.
func between(x []float32, s float64) [2]float32 {
	h := int(s)
	u := s - float64(h)
	if (h+2)*channels > len(x) {
		h, u = len(x)/channels-2, 1
	}
	a, b := x[h*channels:], x[(h+1)*channels:]
	var p [2]float32
	for c := range p {
		p[c] = float32(float64(a[c]) + u*(float64(b[c])-float64(a[c])))
	}
	return p
}

// straightOn returns the trajectory on which robot i brakes straight ahead as hard as it can; one without a
// limit of its acceleration stands at once, or within a step of a curve.
func (at situation) straightOn(i int) tensor.Batch {
	points := at.brakingWay(i)
	x := tensor.New(1, len(points), channels)
	for h, p := range points {
		x.Data[h*channels], x.Data[h*channels+1] = float32(p.X), float32(p.Y)
	}
	if at.tail != nil {
		copy(x.Data[:2], at.tail[i].Data[:2])
	}
	return x
}

// brakingWay returns the waypoints on which robot i brakes so, which count from the origin.
func (at situation) brakingWay(i int) []geom.Vec2 {
	t := at.team
	f, r := t.TaskFrame().Local(), t.Robots[i]
	out := make([]geom.Vec2, cmp.Or(t.Waypoints, r.Model.Waypoints()))
	half := r.Model.HalfRange()
	unit := min(half[0], half[1])
	if t.IsScene() {
		unit = max(half[0], half[1])
	}
	change := (1 - brakingSlack) * r.Acceleration * t.Step * t.Step * unit
	p, step := r.Start, r.StartVelocity.Scale(t.Step)
	for h := range out {
		out[h] = f.FromMap(p)
		if h == 0 && t.Motion != plan.Polyline {
			p, step = braking(p, step, change)
			continue
		}
		step = braked(step, change)
		p = p.Add(step)
	}
	return out
}

// braking returns the control point after the start of a curve that begins to brake by change, and
// the step that leads to it: from there on steps get shorter by as much, or are zero. See
// [geom.NaturalSpline] for the start.
func braking(start, step geom.Vec2, change float64) (next, last geom.Vec2) {
	less := step.Scale(2) // a step that is zero then
	if length := step.Norm(); change > 0 && length > 0 {
		less = step.Scale(min(2, change/length))
	}
	return start.Add(step).Sub(less.Scale(1.0 / 3)), step.Sub(less.Scale(0.5))
}

// braked returns a step after braking by one change, zero without a limit.
func braked(step geom.Vec2, change float64) geom.Vec2 {
	length := step.Norm()
	if change == 0 || length <= change {
		return geom.Vec2{}
	}
	return step.Scale(1 - change/length)
}
