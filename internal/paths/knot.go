package paths

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thirds"
)

// gap is the time between two rows of a smooth motion whose accelerations are not those of
// one cubic: there is a knot in it, where acceleration, linear on both sides, bends.
type gap struct {
	p, q row
	h    float64
}

// newGap returns the gap between two rows, and whether there is a knot in it.
func newGap(p, q row) (gap, bool) {
	g := gap{p, q, q.t - p.t}
	h := g.h
	first, last := g.ends()
	size := p.a.Norm() + q.a.Norm() + first.Norm() + last.Norm()
	rounding := 0x1p-49 * ((p.x.Norm()+q.x.Norm())/(h*h) + (p.v.Norm()+q.v.Norm())/h)
	return g, h > 0 && first.Dist(p.a)+last.Dist(q.a) > 1e-9*size+8*rounding
}

// ends returns the accelerations at the rows of the one cubic that has their positions and velocities.
func (g gap) ends() (first, last geom.Vec2) {
	d, h := g.q.x.Sub(g.p.x), g.h
	first = d.Scale(6 / (h * h)).Sub(g.p.v.Scale(4 / h)).Sub(g.q.v.Scale(2 / h))
	last = g.p.v.Scale(2 / h).Add(g.q.v.Scale(4 / h)).Sub(d.Scale(6 / (h * h)))
	return first, last
}

// sides returns the accelerations before and after a knot at tau after the first row: those of
// the two cubics that have position, velocity and acceleration of both rows and agree in
// position and velocity at the knot.
//
// With a and b these accelerations and r what is left of h, velocities agree if (a0 + a) τ/2 +
// (b + a1) r/2 = v1 − v0, and positions if (a0/3 + a/6) τ² + (a0 + a) τ r/2 + (b/3 + a1/6) r² =
// x1 − x0 − v0 h; the determinant of both is −τ r h/12.
func (g gap) sides(tau float64) (a, b geom.Vec2) {
	r := g.h - tau
	p := g.q.v.Sub(g.p.v).Sub(g.p.a.Scale(tau / 2)).Sub(g.q.a.Scale(r / 2))
	q := g.q.x.Sub(g.p.x).Sub(g.p.v.Scale(g.h)).Sub(g.p.a.Scale(tau*tau/3 + tau*r/2)).Sub(g.q.a.Scale(r * r / 6))
	c, d, det := tau*tau/6+tau*r/2, r*r/3, -tau*r*g.h/12
	a = p.Scale(d).Sub(q.Scale(r / 2)).Scale(1 / det)
	b = q.Scale(tau / 2).Sub(p.Scale(c)).Scale(1 / det)
	return a, b
}

// bend is by how much acceleration jumps at a knot at tau: not at all at the right one.
func (g gap) bend(tau float64) float64 {
	a, b := g.sides(tau)
	return a.Dist(b)
}

// knot returns the row at a knot, if it is not as good as one of the rows.
func (g gap) knot(tau float64) (row, bool) {
	a, _ := g.sides(tau)
	v := g.p.v.Add(g.p.a.Add(a).Scale(tau / 2))
	x := g.p.x.Add(g.p.v.Scale(tau)).Add(g.p.a.Scale(tau * tau / 3)).Add(a.Scale(tau * tau / 6))
	return row{g.p.t + tau, math.NaN(), x, v, a}, tau > 1e-4*g.h && tau < (1-1e-4)*g.h
}

// likely returns where in a gap the knot is as far as the gap itself tells, and whether it
// tells: where acceleration bends clearly elsewhere.
func (g gap) likely() (tau float64, clear bool) {
	tau, _, _ = thirds.Least(g.bend, 1e-3*g.h, (1-1e-3)*g.h, 32, 80)
	return tau, g.bend(tau) < 1e-3*g.jerk()
}

// jerk is by how much acceleration jumps where there is no knot.
func (g gap) jerk() float64 { return g.bend(g.h/3) + g.bend(2*g.h/3) }

// mostKnots is how many knots are looked for.
const mostKnots = 1 << 14

// loud is by what part of the largest acceleration one bends at a knot that says where it is: what robots that hardly move
// do is made of last digits.
const loud = 1e-6

// clockOf returns the step of knots at equal times that all clear knots of some gaps are at, 0
// for none: rows of smooth motions of this program lie anywhere between their knots.
func clockOf(gaps []gap, begin, end float64) float64 {
	var at []float64
	push := 0.0
	for _, g := range gaps {
		push = max(push, g.p.a.Norm(), g.q.a.Norm())
	}
	for _, g := range gaps {
		if len(at) == 256 {
			break
		}
		if tau, clear := g.likely(); clear && g.jerk() > loud*push {
			at = append(at, g.p.t+tau)
		}
	}
	if len(at) < 2 {
		return 0
	}
	for n := 2; n <= mostKnots; n++ {
		step := (end - begin) / float64(n)
		if !slices.ContainsFunc(at, func(t float64) bool {
			k := (t - begin) / step
			return math.Abs(k-math.Round(k)) > 0.01
		}) {
			return step
		}
	}
	return 0
}

// withKnots returns the rows of a robot with the knots between them. step is that of the
// clock, 0 for none.
func withKnots(rows []row, begin, step float64) (out []row) {
	for k, r := range rows {
		if k > 0 {
			if g, bends := newGap(rows[k-1], r); bends {
				tau, ok := g.likely()
				if step > 0 {
					tau = begin + math.Ceil((g.p.t-begin)/step)*step - g.p.t
					ok = tau < g.h
				}
				if at, inside := g.knot(tau); ok && inside {
					if n := len(out); n > 1 && crumb(out[n-2], out[n-1], at) {
						out = out[:n-1]
					}
					out = append(out, at)
					if k+1 < len(rows) && crumb(at, r, rows[k+1]) {
						continue
					}
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// unclear reports whether between rows of a robot, with the knots that are found, the motion that is read does not have
// their accelerations: by a thousandth, and more than digits of positions tell.
func unclear(rows []row) bool {
	push := 0.0
	for _, r := range rows {
		push = max(push, r.a.Norm())
	}
	for k := 1; k < len(rows); k++ {
		if g, bends := newGap(rows[k-1], rows[k]); bends {
			a, b := g.ends()
			if a.Dist(g.p.a)+b.Dist(g.q.a) > 1e-3*push {
				return true
			}
		}
	}
	return false
}

// crumb reports whether a row is so near one of its neighbours that the digits of positions make up what it seems to
// accelerate between them, and says no more than the cubic from the one to the other.
func crumb(before, r, after row) bool {
	near, far := min(r.t-before.t, after.t-r.t), max(r.t-before.t, after.t-r.t)
	return near <= 0.01*far && !r.elsewhere() && r.on(before, after, max(before.a.Norm(), r.a.Norm(), after.a.Norm()))
}
