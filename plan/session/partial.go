package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// partial is the plan before on which some robots brake, each by itself.
type partial struct {
	situation
	brakes  [][]tensor.Batch      // how robots brake, from the sharpest on
	brakeOf func(i int) situation // in which robot i begins to brake, alone
	joined  func() (*Plan, error) // all together, certified or not
	stops   map[int]error         // who brakes, and why
	own     map[int]stop          // how, alone
	first   map[int]stop          // the first way that was found
	next    map[int]int           // the number of the way that is tried next
}

// stop is how a robot brakes.
type stop struct {
	*Plan                  // of it alone
	waypoints tensor.Batch // that it is made of
}

// settle lets robots brake until all together are certified; nil where all would have to.
func (b *partial) settle() (*Plan, error) {
	b.stops, b.own, b.first, b.next = b.concerned(), map[int]stop{}, map[int]stop{}, map[int]int{}
	for i := range b.stops {
		if !b.brake(i) {
			return nil, nil
		}
	}
	for len(b.stops) < len(b.team.Robots) {
		p, err := b.joined()
		if err != nil {
			return nil, nil // it cannot be told where a way ends
		}
		if p.Certificate.Certified {
			p = b.release(p)
			p.Halted = b.halts()
			return p, nil
		}
		if !b.yield(p.Certificate.Worst()) {
			break
		}
	}
	return nil, nil
}

// release lets robots go on that stopped for those who brake elsewhere by now, as long as all together are
// certified.
func (b *partial) release(p *Plan) *Plan {
	concerned := b.concerned()
	for i := range b.team.Robots {
		why, stops := b.stops[i]
		if _, must := concerned[i]; !stops || must {
			continue
		}
		how := b.own[i]
		delete(b.stops, i)
		delete(b.own, i)
		if q, err := b.joined(); err == nil && q.Certificate.Certified {
			p = q
		} else {
			b.stops[i], b.own[i] = why, how
		}
	}
	return p
}

// brake lets robot i brake, in the next way that is certified for it alone. False is none, then it does so
// in the first one.
func (b *partial) brake(i int) bool {
	one := b.brakeOf(i)
	for b.next[i] < len(b.brakes) {
		x := b.brakes[b.next[i]]
		b.next[i]++
		if p, err := one.stopAlong(x[i:i+1:i+1], b.next[i] == len(b.brakes)); err == nil && p != nil {
			b.own[i] = stop{p, x[i]}
			if b.first[i].Plan == nil {
				b.first[i] = b.own[i]
			}
			return true
		}
	}
	b.own[i] = b.first[i]
	return false
}

// yield changes what is in the way of a certificate: a robot that goes on stops, or one that stops
// does so elsewhere. False says that there is nothing to change.
func (b *partial) yield(worst *plan.ConstraintMargin) bool {
	if worst == nil {
		return false
	}
	names := []string{worst.Robot, worst.Other}
	for _, name := range names {
		i := b.robot(name)
		if _, stops := b.stops[i]; i >= 0 && stops && b.brake(i) {
			return true
		}
	}
	for _, name := range names {
		i := b.robot(name)
		if _, stops := b.stops[i]; i >= 0 && !stops {
			b.stops[i] = fmt.Errorf("session: %s stops: if it went on, it would break the constraint of %s", name, worst.Constraint)
			return b.brake(i)
		}
	}
	return false
}

// onOldClock is about a plan that goes on as it is: robots that brake do so from its next waypoint on. Nil where one
// that moves is not on it.
func (at situation) onOldClock(before *Plan) *partial {
	for k := range at.off {
		if at.team.Robots[k].StartVelocity != (geom.Vec2{}) {
			return nil
		}
	}
	h, whole := wholeSteps(at.left, at.team.Step)
	then, braking := at, at
	if !whole {
		then.team, braking.left = at.since(before, h), float64(h+1)*at.team.Step
		braking.team = at.since(before, h+1)
		braking.tail = braking.restOf(before)
	}
	b := &partial{situation: at, brakes: braking.brakes(), brakeOf: braking.alone}
	b.joined = func() (*Plan, error) {
		then.team.Robots = slices.Clone(then.team.Robots)
		for i := range b.own { // who stands looks where it does now
			then.team.Robots[i].StartHeading = cmp.Or(at.team.Robots[i].StartHeading, then.team.Robots[i].StartHeading)
		}
		p, err := then.together(before, h, whole, b.own)
		if err == nil && !whole {
			p.From = at.left - float64(h)*at.team.Step
		}
		return p, err
	}
	return b
}

// together returns the plan before from waypoint h on with robots that brake from there on, or from the next
// waypoint where they have passed it, certified or not.
func (at situation) together(before *Plan, h int, whole bool, own map[int]stop) (*Plan, error) {
	if before.Curves == nil {
		rows := make([]tensor.Batch, len(at.who))
		for k := range rows {
			switch stop := own[k]; {
			case stop.Plan == nil:
				rows[k] = at.rowFrom(before, k, h)
			case whole || at.off[k]:
				rows[k] = stop.Trajectories[0]
			default:
				rows[k] = at.rowFrom(before, k, h)
				copy(rows[k].Data[channels:], stop.Trajectories[0].Data)
			}
		}
		return at.made(rows, Continued)
	}
	curves := make([]geom.Curve, len(at.who))
	for k := range curves {
		c := standing(at.team, k)
		if !at.off[k] {
			c = at.curveFrom(at.team, before, k, h)
		}
		if stop := own[k]; stop.Plan != nil && whole {
			c = stop.Curves[0]
		} else if stop.Plan != nil && !at.off[k] {
			copy(c.X[1:], stop.Curves[0].X)
			copy(c.V[1:], stop.Curves[0].V)
		}
		curves[k] = c
	}
	return onCurves(at.team, curves, Continued)
}

// onNewClock is about a plan whose waypoints are those of the way before from now on.
func (at situation) onNewClock() *partial {
	b := &partial{situation: at, brakes: at.brakes(), brakeOf: at.alone}
	var rows []tensor.Batch
	for k := range at.tail {
		rows = append(rows, at.nearTail(k))
	}
	b.joined = func() (*Plan, error) {
		all := slices.Clone(rows)
		for i, stop := range b.own {
			all[i] = stop.waypoints
		}
		return at.made(all, Continued)
	}
	return b
}

// nearTail returns waypoints of the rest of the way of robot k: those on which a curve passes where it did, if that
// is within the limits of the robot, or else between these and where it was.
func (at situation) nearTail(k int) tensor.Batch {
	x := at.tail[k]
	if at.team.Motion == plan.Polyline || at.who[k] < 0 || at.off[k] {
		return x
	}
	one := at.alone(k)
	passing := through(x, at.team.TaskFrame().Local().Scale, at.team.Robots[k].StartVelocity.Scale(at.team.Step))
	for _, share := range []float32{1, 0.5} {
		y := x.Clone()
		for h, v := range passing.Data {
			y.Data[h] += share * (v - x.Data[h])
		}
		if p, err := one.judged([]tensor.Batch{y}, Stopped); err == nil && p != nil {
			return y
		}
	}
	return x
}

// through returns the waypoints of a curve from rest or with a first step that passes given positions and rests at the last one. See
// [geom.NaturalSpline]: at waypoint h it is at (p_(h-1) + 4 p_h + p_(h+1))/6, and its ends are natural.
func through(x tensor.Batch, scale float64, step geom.Vec2) tensor.Batch {
	out := x.Clone()
	n := x.Shape[0]
	first := [2]float64{step.X * scale, step.Y * scale}
	for c := range 2 {
		at := func(h int) float64 { return float64(x.Data[h*channels+c]) }
		diagonal, right := make([]float64, n), make([]float64, n)
		for h := 1; h < n-1; h++ {
			diagonal[h], right[h] = 4, 6*at(h)
		}
		diagonal[1] -= 0.5
		right[1] -= 1.5*at(0) + first[c]/2
		diagonal[n-2] -= 0.5
		right[n-2] -= 1.5 * at(n-1)
		for h := 2; h < n-1; h++ {
			diagonal[h] -= 1 / diagonal[h-1]
			right[h] -= right[h-1] / diagonal[h-1]
		}
		value := 0.0
		for h := n - 2; h >= 1; h-- {
			value = (right[h] - value) / diagonal[h]
			out.Data[h*channels+c] = float32(value)
		}
	}
	return out
}
