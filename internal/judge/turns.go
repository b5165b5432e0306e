package judge

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Robots that turn. Where a robot moves it looks along its velocity v; with an acceleration a it turns by
// |v×a|/|v|² a second, and bends its way by |v×a|/|v|³. Where it stands it turns if it can, and else goes on as it came.

// What is left open: a robot has hardly left a place of rest within hardly of its radius, digits tell nothing
// there; headings are told where it is away by headingAway of it, to headingRoom.
const (
	hardly      = 1e-4
	headingAway = 0.01
	headingRoom = 0.01
)

// turns reports whether anything is asked of how a robot turns.
func (r *Robot) turns() bool {
	return r.TurnRate > 0 || r.TurningRadius > 0 || r.Headings[0] != nil || r.Headings[1] != nil
}

// onTheSpot reports whether it may turn where it stands.
func (r *Robot) onTheSpot() bool { return r.TurnRate > 0 && r.TurningRadius == 0 }

// turner is a robot on its way, as far as its turning is judged.
type turner struct {
	*Robot
	legs                       []leg
	turning, bending, pointing excess
}

// leg is a piece of a path on which the robot moves, from one parameter to another: where it is not
// hardly away from rest.
type leg struct {
	geom.Bezier
	at, dt   float64
	from, to float64
	read     float64 // what the digits of its points may add to its acceleration
	rested   bool    // there is a place of rest between the leg before and this one, or a corner
}

// velocity returns that at a parameter, per second.
func (l *leg) velocity(u float64) geom.Vec2 { return l.Velocity(u).Scale(1 / l.dt) }

// begins and ends are times.
func (l *leg) begins() float64 { return l.at + l.from*l.dt }
func (l *leg) ends() float64   { return l.at + l.to*l.dt }

// judgeTurns judges how a robot turns.
func (c *court) judgeTurns(i int) {
	r := &c.Robots[i]
	if !r.turns() || r.Path.Times == nil || len(r.Path.X) < 2 {
		return
	}
	t := &turner{Robot: r, legs: legs(r), turning: excess{kind: Turning, limit: r.TurnRate}, pointing: excess{kind: Heading, limit: headingRoom}}
	t.bending = excess{kind: Curvature}
	if r.TurningRadius > 0 {
		t.bending.limit = 1 / r.TurningRadius
	}
	for k := range t.legs {
		l := &t.legs[k]
		t.goes(l)
		if k > 0 && l.rested {
			t.meets(&t.legs[k-1], l)
		}
	}
	t.leavesAndComes()
	t.looks()
	c.exceeded(i, &t.turning)
	c.exceeded(i, &t.bending)
	c.exceeded(i, &t.pointing)
}

// goes judges a leg by the polynomials of its velocity and acceleration.
func (t *turner) goes(l *leg) {
	a, b, c := l.velocity(0), l.velocity(0.5), l.velocity(1)
	axis := func(a, b, c float64) polynomial { return polynomial{a, 4*b - 3*a - c, 2 * (a + c - 2*b)} }
	vx, vy := axis(a.X, b.X, c.X), axis(a.Y, b.Y, c.Y)
	ax, ay := polynomial{vx[1] / l.dt, 2 * vx[2] / l.dt}, polynomial{vy[1] / l.dt, 2 * vy[2] / l.dt}
	square, cross := vx.times(vx).plus(1, vy.times(vy)), vx.times(ay).plus(-1, vy.times(ax))
	fastest := math.Sqrt(max(square.at(l.from), square.at((l.from+l.to)/2), square.at(l.to)))
	t.turnsBack(l, square, fastest)
	if w := t.TurnRate; w > 0 {
		least := -fastest*l.read - 1e-9*w*fastest*fastest
		_, left := polynomial{0}.plus(w, square).plus(-1, cross).below(least, l.from, l.to, 0)
		_, right := polynomial{0}.plus(w, square).plus(1, cross).below(least, l.from, l.to, 0)
		t.turning.add(decided(l.most(square, cross, 1), w, left || right), l.begins(), l.ends())
	}
	if r := t.TurningRadius; r > 0 {
		g := square.times(square).times(square).plus(-r*r, cross.times(cross))
		least := -2*r*math.Pow(fastest, 4)*l.read - 1e-9*math.Pow(fastest, 6)
		_, found := g.below(least, l.from, l.to, 0)
		t.bending.add(decided(l.most(square, cross, 1.5), 1/r, found), l.begins(), l.ends())
	}
}

// turnsBack judges a leg on which the robot comes to rest between its ends: one that goes on another
// way has turned there, which its velocity and acceleration, one along the other, do not tell.
func (t *turner) turnsBack(l *leg, square polynomial, fastest float64) {
	const beside, hardlyMoves = 1e-3, 1e-6 // of the leg, and of the square of its speed
	u, least := worst(square.at, l.from, l.to)
	before, after := u-beside, u+beside
	if before <= l.from || after >= l.to || least > hardlyMoves*fastest*fastest {
		return
	}
	begins, ends := l.at+before*l.dt, l.at+after*l.dt
	t.turned(t.angle(l.velocity(before), l.velocity(after), ends-begins)-headingRoom, begins, ends)
}

// decided returns what was seen of something on the side of its limit that was decided.
func decided(seen, limit float64, exceeds bool) float64 {
	if exceeds {
		return max(seen, limit*(1+1e-6))
	}
	return min(seen, limit)
}

// most returns the largest |v×a|/|v|^2p on a leg.
func (l *leg) most(square, cross polynomial, p float64) float64 {
	_, least := worst(func(u float64) float64 {
		s := square.at(u)
		if s <= 0 {
			return 0
		}
		return -math.Abs(cross.at(u)) / math.Pow(s, p)
	}, l.from, l.to)
	return -least
}

// meets judges the turn between two legs: where it stands, or at a corner.
func (t *turner) meets(l, next *leg) {
	stands := next.begins() - l.ends()
	t.turned(t.angle(l.velocity(l.to), next.velocity(next.from), stands)-headingRoom, l.ends(), next.begins())
}

// turned judges an angle, beyond what is allowed, by which a robot turns between two times at one place.
func (t *turner) turned(e, from, to float64) {
	if e <= 0 {
		return
	}
	if t.TurnRate > 0 {
		t.turning.add(t.TurnRate+e/max(to-from, 1e-3), from, to)
	}
	if t.TurningRadius > 0 {
		t.bending.add(t.bending.limit+e/(hardly*t.Radius), from, to)
	}
}

// angle returns that between two directions, less what the robot turns while it stands for some time.
func (t *turner) angle(a, b geom.Vec2, stands float64) float64 {
	angle := math.Abs(math.Atan2(a.Cross(b), a.Dot(b)))
	if t.onTheSpot() {
		angle = max(0, angle-t.TurnRate*stands)
	}
	return angle
}

// leavesAndComes judges the headings at both ends.
func (t *turner) leavesAndComes() {
	p := t.Path
	begin, end := p.Times[0], p.Times[len(p.Times)-1]
	direction := func(angle float64) geom.Vec2 { s, c := math.Sincos(angle); return geom.Vec2{X: c, Y: s} }
	first, last := t.away(false), t.away(true)
	if first == nil || last == nil {
		if t.Headings[0] != nil && t.Headings[1] != nil {
			t.pointing.add(t.angle(direction(*t.Headings[0]), direction(*t.Headings[1]), end-begin), begin, end)
		}
		return
	}
	if h := t.Headings[0]; h != nil {
		t.pointing.add(t.angle(direction(*h), *first, t.legs[0].begins()-begin), begin, t.legs[0].ends())
	}
	if h := t.Headings[1]; h != nil {
		l := &t.legs[len(t.legs)-1]
		t.pointing.add(t.angle(*last, direction(*h), end-l.ends()), l.begins(), end)
	}
}

// away returns the velocity with which a robot is away from its start, or is still away from its end; nil for one that
// stays.
func (t *turner) away(fromEnd bool) *geom.Vec2 {
	const instants = 64
	at := t.Path.X[0]
	if fromEnd {
		at = t.Path.X[len(t.Path.X)-1]
	}
	for k := range t.legs {
		l := &t.legs[k]
		if fromEnd {
			l = &t.legs[len(t.legs)-1-k]
		}
		for m := range instants + 1 {
			u := float64(m) / instants
			if fromEnd {
				u = 1 - u
			}
			if v := l.velocity(u); l.At(u).Dist(at) >= headingAway*t.Radius && v != (geom.Vec2{}) {
				return &v
			}
		}
	}
	return nil
}

// looks judges the headings that a file tells.
func (t *turner) looks() {
	p := t.Path
	if p.Headings == nil {
		return
	}
	for n, h := range [2]int{0, len(p.X) - 1} {
		if want := t.Headings[n]; want != nil && !math.IsNaN(p.Headings[h]) {
			t.pointing.add(math.Abs(math.Remainder(p.Headings[h]-*want, 2*math.Pi))-headingRoom, p.Times[h], p.Times[h])
		}
	}
	for k := range t.legs {
		l := &t.legs[k]
		n := indexOf(p.Times, l.at)
		if v := l.velocity(0); l.from == 0 && !math.IsNaN(p.Headings[n]) {
			t.pointing.add(math.Abs(math.Remainder(p.Headings[n]-math.Atan2(v.Y, v.X), 2*math.Pi)), l.at, l.at)
		}
	}
	before := -1
	for k, h := range p.Headings {
		if math.IsNaN(h) {
			continue
		}
		if before >= 0 && t.TurnRate > 0 {
			turned := math.Abs(math.Remainder(h-p.Headings[before], 2*math.Pi)) - headingRoom
			t.turning.add(max(0, turned)/(p.Times[k]-p.Times[before]), p.Times[before], p.Times[k])
		}
		before = k
	}
}
