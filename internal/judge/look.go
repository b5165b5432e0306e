package judge

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thirds"
)

// halvings is how often a piece is halved at most.
const halvings = 26

// near is how much smaller than the smallest gap found a gap may be that is not looked for,
// in radii.
const near = 1e-7

// look finds where the gap of a motion is smallest, and where it is less than it has to be.
type look struct {
	need, tolerance float64
	// gap is a lower bound of the gap of a hull whose points may be off by blur; at is that of
	// a point. The points of equal gap or less are convex.
	gap func(b geom.Bezier, blur float64) float64
	at  func(p geom.Vec2) float64

	most  float64 // no gap beyond it matters: that of others is smaller
	least float64 // bound of all that were looked at
	best  float64 // smallest that was seen
	when  float64 // then
	fails [][2]float64
}

func newLook(need, radius float64) *look {
	return &look{need: need, tolerance: near * radius, most: math.Inf(1), least: math.Inf(1), best: math.Inf(1)}
}

// smaller returns the gap from which on pieces need not be looked at for a smaller one: what rounding may be
// is no reason to halve them, as of robots that stand far from zero.
func (l *look) smaller(rounding float64) float64 {
	return min(l.best, l.most) - max(l.tolerance, 2*rounding)
}

// see looks at a piece of a motion between two times.
func (l *look) see(b geom.Bezier, blur, from, to float64) { l.seePart(b, blur, from, to, 0, true) }

func (l *look) seePart(b geom.Bezier, blur, from, to float64, depth int, telling bool) {
	l.offer(b[0], from)
	l.offer(b[3], to)
	rounding := blur * max(1, float64(4+6*depth)/32) // a halving rounds six times
	gap, smaller := l.gap(b, rounding), l.smaller(rounding)
	if gap >= max(l.need, smaller) || gap >= l.need && depth == halvings {
		l.least = min(l.least, gap)
		return
	}
	if gap < l.need && telling {
		within := true
		for _, p := range b {
			within = within && l.at(p) < l.need
		}
		if within || depth == halvings || l.need-gap <= blur {
			l.fail(from, to)
			telling = false
		}
	}
	if !telling && (gap >= smaller || depth == halvings || l.need-gap <= blur) {
		l.least = min(l.least, gap)
		return
	}
	first, second := b.Halves()
	middle := from + (to-from)/2
	l.seePart(first, blur, from, middle, depth+1, telling)
	l.seePart(second, blur, middle, to, depth+1, telling)
}

func (l *look) offer(p geom.Vec2, time float64) {
	if g := l.at(p); g < l.best {
		l.best, l.when = g, time
	}
}

// fail notes that it fails from one time to another, together with what was before.
func (l *look) fail(from, to float64) {
	if n := len(l.fails); n > 0 && l.fails[n-1][1] >= from {
		l.fails[n-1][1] = max(l.fails[n-1][1], to)
		return
	}
	l.fails = append(l.fails, [2]float64{from, to})
}

// worst returns when a function is smallest between two times, and its value.
func worst(f func(time float64) float64, from, to float64) (when, value float64) {
	closer, when, value := thirds.Least(f, from, to, 64, 60)
	if v := f(closer); v < value {
		return closer, v
	}
	return when, value
}
