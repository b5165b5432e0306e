// Package heading tells where robots look that go along a path: along their velocity while
// they move, and while they stand from the direction in which they came to that in which they
// leave, as fast as they turn. Lengths are in one unit, times in seconds, angles in radians.
package heading

import (
	"math"
	"sort"

	"github.com/go-pcd/pcd/geom"
)

// Piece is a cubic, or a straight line, that is driven from one time to another.
type Piece struct {
	From, To float64
	Way      geom.Bezier
}

// Rule says how a robot turns that stands. The zero value keeps the heading with which it came, or has
// that with which it leaves.
type Rule struct {
	Rate        float64  // per second; 0 is at once, as it leaves
	Start, Goal *float64 // where it looks at first, and at last; nil is along its way
	// Hardly is how far a robot that comes from rest, or comes to rest, has to be away from there to tell by its velocity
	// where it looks: digits end there. Nearer it looks as it does so far away.
	Hardly float64
}

// Way is where a robot looks on a path.
type Way struct {
	rule   Rule
	pieces []Piece
	stands []stand // by time
	near   []near
}

// stand is a time at which a robot stands, and the headings with which it comes and leaves.
type stand struct{ from, to, came, leaves float64 }

// near is a time at which a robot moves so near to where it rests that its velocity does not tell where it looks, and
// where it does.
type near struct{ from, to, heading float64 }

// Along returns where a robot looks on pieces, which follow each other.
func Along(pieces []Piece, r Rule) *Way {
	w := &Way{rule: r, pieces: pieces}
	came := r.Start // nil before it has moved
	stood := came   // where it looked when it last stood
	since := math.Inf(-1)
	open := func(to, leaves float64) {
		s := stand{since, to, leaves, leaves}
		if came != nil {
			s.came = *came
		}
		w.stands = append(w.stands, s)
	}
	for k, p := range pieces {
		if Stands(p.Way) {
			continue
		}
		if p.From > since || came != nil && p.Way[0] == p.Way[1] {
			leaves := w.outwards(k, 1, came)
			open(p.From, leaves)
			if p.Way[0] == p.Way[1] {
				stood = &leaves
			}
		}
		came, since = new(w.outwards(k, -1, stood)), p.To
	}
	switch {
	case r.Goal != nil:
		open(math.Inf(1), *r.Goal)
	case came != nil:
		open(math.Inf(1), *came)
	default:
		open(math.Inf(1), 0)
	}
	return w
}

// outwards returns where a robot looks that leaves the first point of piece k, or, by steps of -1, comes to its last one:
// where its velocity points, or, if it rests there, as it does where it is far enough from there to tell. Where it rests
// again before, it looks as it did, if that is known.
func (w *Way) outwards(k, step int, did *float64) float64 {
	oriented := func(n int) geom.Bezier {
		if step < 0 {
			return reversed(w.pieces[n].Way)
		}
		return w.pieces[n].Way
	}
	first := oriented(k)
	if w.rule.Hardly == 0 || first[0] != first[1] || first[3].Dist(first[0]) > w.rule.Hardly {
		return angle(leaving(first, w.rule.Hardly).Scale(float64(step)))
	}
	const parts = 64
	last := k
	for n := k; n >= 0 && n < len(w.pieces) && !Stands(w.pieces[n].Way); n += step {
		b := oriented(n)
		if n != k && b[0] == b[1] {
			break
		}
		for part := 1; part <= parts; part++ {
			u := float64(part) / parts
			if v := b.Velocity(u); b.At(u).Dist(first[0]) > w.rule.Hardly && v != (geom.Vec2{}) {
				return w.holds(w.pieces[k].along(0, step), w.pieces[n].along(u, step), angle(v.Scale(float64(step))))
			}
		}
		last = n
	}
	if did == nil {
		return angle(leaving(first, 0).Scale(float64(step)))
	}
	return w.holds(w.pieces[k].along(0, step), w.pieces[last].along(1, step), *did)
}

// along returns the time at which a part of a piece is driven, from its end on for steps of -1.
func (p Piece) along(part float64, step int) float64 {
	if step < 0 {
		part = 1 - part
	}
	return p.From + part*(p.To-p.From)
}

// holds says that a robot looks to one side between two times.
func (w *Way) holds(a, b, heading float64) float64 {
	w.near = append(w.near, near{min(a, b), max(a, b), heading})
	return heading
}

// At returns where it looks at a time, from -π to π.
func (w *Way) At(t float64) float64 {
	k := sort.Search(len(w.stands), func(k int) bool { return w.stands[k].to >= t })
	if k < len(w.stands) && t >= w.stands[k].from {
		return w.stands[k].at(t, w.begin(), w.rule.Rate)
	}
	for _, at := range w.near {
		if t >= at.from && t <= at.to {
			return at.heading
		}
	}
	n := sort.Search(len(w.pieces), func(n int) bool { return w.pieces[n].To > t })
	if n == len(w.pieces) {
		n--
	}
	p := w.pieces[n]
	return angle(looking(p.Way, (t-p.From)/(p.To-p.From), w.rule.Hardly))
}

func (w *Way) begin() float64 {
	if len(w.pieces) == 0 {
		return 0
	}
	return w.pieces[0].From
}

// at returns where a robot looks that turns at once.
func (s stand) at(t, begin, rate float64) float64 {
	if t >= s.to {
		return s.leaves
	}
	turn := math.Remainder(s.leaves-s.came, 2*math.Pi)
	if most := rate * (t - max(s.from, begin)); math.Abs(turn) > most {
		turn = math.Copysign(max(0, most), turn)
	}
	return math.Remainder(s.came+turn, 2*math.Pi)
}

// Stands reports whether a piece stays at one place.
func Stands(b geom.Bezier) bool { return b[0] == b[1] && b[0] == b[2] && b[0] == b[3] }

// looking returns the direction of a piece at a parameter from 0 to 1.
func looking(b geom.Bezier, u, hardly float64) geom.Vec2 {
	switch {
	case b[0] == b[1] && u <= 0.5:
		for u < 1 && b.At(u).Dist(b[0]) <= hardly {
			u = max(2*u, 1e-3)
		}
	case b[2] == b[3] && u > 0.5:
		return looking(reversed(b), 1-u, hardly).Scale(-1)
	}
	if v := b.Velocity(min(u, 1)); v != (geom.Vec2{}) {
		return v
	}
	return leaving(b, hardly)
}

// leaving returns the direction in which a piece leaves its first point.
func leaving(b geom.Bezier, hardly float64) geom.Vec2 {
	if b[0] == b[1] && b[0].Dist(b[3]) > hardly {
		u := 1e-3
		for u < 1 && b.At(u).Dist(b[0]) <= hardly {
			u *= 2
		}
		if v := b.Velocity(min(u, 1)); v != (geom.Vec2{}) {
			return v
		}
	}
	for _, p := range b[1:] {
		if p != b[0] {
			return p.Sub(b[0])
		}
	}
	return geom.Vec2{}
}

func reversed(b geom.Bezier) geom.Bezier { return geom.Bezier{b[3], b[2], b[1], b[0]} }

func angle(v geom.Vec2) float64 { return math.Atan2(v.Y, v.X) }
