package judge

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// Late is how near two bodies come to each other where both may be late, each by something else.
type Late struct {
	Gap          float64 // the smallest, never more than there is; +Inf where nobody meets anybody
	Robot, Other int     // Other counts on to traffic
	At           [2]float64
}

// lateDepth is how often pieces that take about as long are halved at most to tell two bodies apart.
const lateDepth = 6

// longest is how many times as long as another a piece may take to be halved alone: rounding grows with each halving.
const longest = 1 << 16

// JudgeLate returns how near bodies come to each other whose times differ by so many seconds at
// most: robots and traffic that are late by up to that, each by something else. All paths have
// to have times.
func (w *World) JudgeLate(ctx context.Context, seconds float64) (Late, error) {
	if err := w.check(); err != nil {
		return Late{}, err
	}
	later := *w
	later.Until = math.Max(w.Until, w.end()+seconds)
	c := later.open()
	out := Late{Gap: math.Inf(1), Robot: -1, Other: -1}
	for i := range c.Robots {
		if err := ctx.Err(); err != nil {
			return Late{}, err
		}
		for j := i + 1; j < c.bodies(); j++ {
			b := band{a: c.tracks[i], b: c.tracks[j], seconds: seconds, radii: c.body(i).Radius + c.body(j).Radius, least: out.Gap}
			b.look(0, len(b.a.hulls), 0, len(b.b.hulls))
			if b.least < out.Gap {
				out = Late{b.least, i, j, b.at}
			}
		}
	}
	return out, nil
}

// end returns the last time of a robot.
func (w *World) end() float64 {
	last := math.Inf(-1)
	for _, r := range w.Robots {
		if t := r.Path.Times; t != nil {
			last = math.Max(last, t[len(t)-1])
		}
	}
	return last
}

// band compares the pieces of two tracks whose times differ by so many seconds at most.
type band struct {
	a, b           *track
	seconds, radii float64
	least          float64
	at             [2]float64
}

// far reports whether two stretches of time differ by more.
func (b *band) far(from, to, otherFrom, otherTo float64) bool {
	return math.Max(otherFrom-to, from-otherTo) > b.seconds
}

// look compares pieces of one track with pieces of the other; the last ones are left out.
func (b *band) look(from, to, otherFrom, otherTo int) {
	p, q := b.a, b.b
	if b.far(p.knots[from], p.knots[to], q.knots[otherFrom], q.knots[otherTo]) ||
		boxGap(p.around(from, to), q.around(otherFrom, otherTo))-b.radii-p.most-q.most >= b.least {
		return
	}
	n, m := to-from, otherTo-otherFrom
	switch {
	case n == 1 && m == 1:
		b.pieces(p.hulls[from], q.hulls[otherFrom], [4]float64{p.knots[from], p.knots[to], q.knots[otherFrom], q.knots[otherTo]}, p.blur[from]+q.blur[otherFrom], 0, lateDepth)
	case n >= m:
		b.look(from, from+n/2, otherFrom, otherTo)
		b.look(from+n/2, to, otherFrom, otherTo)
	default:
		b.look(from, to, otherFrom, otherFrom+m/2)
		b.look(from, to, otherFrom+m/2, otherTo)
	}
}

// pieces compares two pieces from t[0] to t[1] and from t[2] to t[3]. They have been halved depth times and are so most
// times at most; a piece that takes longer than the other is first halved alone.
func (b *band) pieces(p, q geom.Bezier, t [4]float64, blur float64, depth, most int) {
	if b.far(t[0], t[1], t[2], t[3]) {
		return
	}
	gap, _ := gaps.Curves(p, q, b.radii+blur*math.Max(1, float64(4+6*depth)/32))
	if gap >= b.least {
		return
	}
	seen := math.Inf(1) // at the corners that are in the band, whose points lie on the curves
	for k, x := range [2]geom.Vec2{p[0], p[3]} {
		for m, y := range [2]geom.Vec2{q[0], q[3]} {
			if !b.far(t[k], t[k], t[2+m], t[2+m]) {
				seen = math.Min(seen, x.Dist(y)-b.radii-blur)
			}
		}
	}
	first, second := t[1]-t[0], t[3]-t[2]
	longer, other := first > 2*second && first < longest*second, second > 2*first && second < longest*first
	if seen <= gap+near*b.radii || depth == most && !longer && !other {
		b.least, b.at = gap, [2]float64{t[0], t[2]}
		return
	}
	one, two := p.Halves()
	three, four := q.Halves()
	s, u := (t[0]+t[1])/2, (t[2]+t[3])/2
	switch {
	case longer:
		b.pieces(one, q, [4]float64{t[0], s, t[2], t[3]}, blur, depth+1, most+1)
		b.pieces(two, q, [4]float64{s, t[1], t[2], t[3]}, blur, depth+1, most+1)
	case other:
		b.pieces(p, three, [4]float64{t[0], t[1], t[2], u}, blur, depth+1, most+1)
		b.pieces(p, four, [4]float64{t[0], t[1], u, t[3]}, blur, depth+1, most+1)
	default:
		b.pieces(one, three, [4]float64{t[0], s, t[2], u}, blur, depth+1, most)
		b.pieces(one, four, [4]float64{t[0], s, u, t[3]}, blur, depth+1, most)
		b.pieces(two, three, [4]float64{s, t[1], t[2], u}, blur, depth+1, most)
		b.pieces(two, four, [4]float64{s, t[1], u, t[3]}, blur, depth+1, most)
	}
}
