package judge

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// rounded is the share of a limit that rounding may add: of numbers that were scaled to other
// units and back.
const rounded = 0x1p-40

// judgeLimits judges the speed and the acceleration of a robot. Where it goes straight, its
// acceleration is the change of its velocity at a point over the mean time of the pieces that
// meet there; at both ends over that of the one piece.
func (c *court) judgeLimits(i int) {
	r := c.Robots[i]
	p := r.Path
	if p.Times == nil || len(p.X) < 2 {
		return
	}
	speed := excess{kind: Speed, limit: r.Speed}
	acceleration := excess{kind: Acceleration, limit: r.Acceleration}
	before, gone := r.Before, 0.0
	for k := range len(p.X) - 1 {
		from, to := p.Times[k], p.Times[k+1]
		dt := to - from
		if p.V == nil {
			v := p.X[k+1].Sub(p.X[k]).Scale(1 / dt)
			speed.add(v.Norm(), from, to)
			mean := dt
			if k > 0 {
				mean = (gone + dt) / 2
			}
			acceleration.add(v.Sub(before).Norm()/mean, from, to)
			before, gone = v, dt
			continue
		}
		b := geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: dt}.Span(0)
		speed.add(fastest(b, dt), from, to)
		acceleration.read = 12 * digits(p.X[k], p.X[k+1]) / (dt * dt)
		acceleration.add(max(b.Acceleration(0).Norm(), b.Acceleration(1).Norm())/(dt*dt), from, to)
	}
	if p.V == nil {
		acceleration.add(before.Sub(r.After).Norm()/gone, p.Times[len(p.X)-2], p.Times[len(p.X)-1])
	} else if r.Acceleration > 0 {
		c.judgeJumps(i, &acceleration)
	}
	c.exceeded(i, &speed)
	c.exceeded(i, &acceleration)
}

// digits is by how much coordinates may be off that were read from a text.
func digits(a, b geom.Vec2) float64 {
	return 0x1p-53 * max(math.Abs(a.X), math.Abs(a.Y), math.Abs(b.X), math.Abs(b.Y))
}

// judgeJumps finds curves that begin or end in other motion than they should: a jump of
// velocity is more than any acceleration.
func (c *court) judgeJumps(i int, e *excess) {
	r := c.Robots[i]
	p, last := r.Path, len(r.Path.X)-1
	for _, end := range [2]struct {
		jump float64
		k    int
	}{{p.V[0].Dist(r.Before), 0}, {p.V[last].Dist(r.After), last - 1}} {
		dt := p.Times[end.k+1] - p.Times[end.k]
		if end.jump*dt > 1e-5*r.Radius {
			e.add(r.Acceleration+end.jump/dt, p.Times[end.k], p.Times[end.k+1])
		}
	}
}

// fastest bounds the speed on a cubic that takes dt, by the hull of its velocities, in halves.
func fastest(b geom.Bezier, dt float64) float64 {
	pieces := []geom.Bezier{b}
	for range 4 {
		var next []geom.Bezier
		for _, p := range pieces {
			first, second := p.Halves()
			next = append(next, first, second)
		}
		pieces = next
	}
	most := 0.0
	for _, p := range pieces {
		for k := range 3 {
			most = max(most, p[k+1].Sub(p[k]).Norm()*3*float64(len(pieces))/dt)
		}
	}
	hull := max(b[1].Sub(b[0]).Norm(), b[2].Sub(b[1]).Norm(), b[3].Sub(b[2]).Norm()) * 3 / dt
	return math.Min(hull, most*(1+0x1p-44))
}

// excess gathers where a limit is exceeded.
type excess struct {
	kind       Kind
	limit      float64
	read       float64 // what the digits of coordinates may add, which is taken off
	most, when float64 // of all
	seen       bool
	faults     []Fault
}

func (e *excess) add(value, from, to float64) {
	if e.limit <= 0 {
		return
	}
	value = max(0, value-e.read)
	if !e.seen || value > e.most {
		e.most, e.when, e.seen = value, from, true
	}
	by := value - e.limit
	if !(by > rounded*e.limit) {
		return
	}
	if n := len(e.faults); n > 0 && e.faults[n-1].To >= from {
		f := &e.faults[n-1]
		f.To = to
		if by > f.By {
			f.By, f.Gap, f.At = by, -by, from
		}
		return
	}
	e.faults = append(e.faults, Fault{Kind: e.kind, From: from, To: to, At: from, Gap: -by, By: by, Other: -1})
}

func (c *court) exceeded(i int, e *excess) {
	if !e.seen {
		return
	}
	c.offer(Margin{e.kind, e.limit - e.most, i, -1, e.when, c.tracks[i].at(e.when)})
	for _, f := range e.faults {
		f.Robot, f.Place = i, c.tracks[i].at(f.At)
		c.verdict.Faults = append(c.verdict.Faults, f)
	}
}
