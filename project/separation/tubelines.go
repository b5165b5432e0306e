package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// finest is into how many parts a span is cut at most beside one of the same time, where the
// lateness is less than a span.
const finest = 4

// tubeLines adds the lines of bodies that are late: between the points of every two pieces in
// the band that are near each other.
func (w *World) tubeLines(l *lineMaker, m manner) {
	all := l.strips.trails()
	for i := range w.Robots {
		for j := i + 1; j < len(all); j++ {
			t := w.tube(all, i, j)
			near := w.Margin + reach*t.radius/2
			t.blocks(1, 1, func() float64 { return near }, func(p, q strip) {
				rests := l.rests(p)
				if rests && (j >= len(w.Robots) || l.rests(q)) {
					return
				}
				t.parts(p, q, func(a, b strip) {
					switch gap, n := t.direction(a, b, m); {
					case gap > near:
					case rests:
						w.tubeLine(l, n.Scale(-1), j, i, b, a)
					default:
						w.tubeLine(l, n, i, j, a, b)
					}
				})
			})
		}
	}
}

// rests reports whether a piece lies behind the last span: robots are at their ends then.
func (l *lineMaker) rests(p strip) bool { return p.from >= float64(l.strips.spans) }

// parts calls f for parts of a block that cover what of it is in the band, and hardly more.
func (t tube) parts(p, q strip, f func(a, b strip)) {
	pieces := 1
	if overlap := min(p.to, q.to) - max(p.from, q.from); overlap > 0 && t.late < 1 {
		pieces = min(finest, int(math.Ceil(1/t.late)))
	}
	for r := range pieces {
		for k := range pieces {
			a, b := p.part(float64(r)/float64(pieces), float64(r+1)/float64(pieces)), q.part(float64(k)/float64(pieces), float64(k+1)/float64(pieces))
			switch {
			case t.outside(a.from, a.to, b.from, b.to):
				continue
			case b.from >= a.to: // its end beside the beginning of the other
				a, b = a.between(b.from-t.late, a.to), b.between(b.from, a.to+t.late)
			case a.from >= b.to:
				a, b = a.between(a.from, b.to+t.late), b.between(a.from-t.late, b.to)
			}
			if a.from < a.to && b.from < b.to {
				f(a, b)
			}
		}
	}
}

// part returns a part of a piece, in shares of it, and between the part from one time to another.
func (p strip) part(from, to float64) strip {
	if from == 0 && to == 1 {
		return p
	}
	p.hull = p.hull.Between(from, to)
	p.from, p.to = p.from+from*(p.to-p.from), p.from+to*(p.to-p.from)
	return p
}

func (p strip) between(from, to float64) strip {
	from, to = max(from, p.from), min(to, p.to)
	if from <= p.from && to >= p.to || !(from < to) {
		return p
	}
	return p.part((from-p.from)/(p.to-p.from), (to-p.from)/(p.to-p.from))
}

// direction returns the gap of a block and the direction in which it is to be parted.
func (t tube) direction(p, q strip, m manner) (float64, geom.Vec2) {
	gap, n := gaps.Curves(p.hull, q.hull, t.radius)
	if gap >= 0 {
		return gap, n
	}
	if p.from == q.from && p.to == q.to {
		u, v := p.hull[0].Sub(q.hull[0]), p.hull[3].Sub(q.hull[3])
		_, n = gaps.Relative(u, v, t.radius)
		return gap, m.giveWay(n, u, v, t.radius)
	}
	return gap, n
}

// tubeLine adds the lines of a block: each point of one hull beside the point of the other that
// is nearest along n. Robots are i and, unless it is traffic or rests, j.
func (w *World) tubeLine(l *lineMaker, n geom.Vec2, i, j int, p, q strip) {
	keep := w.radius(i) + w.radius(j) + w.Margin + reserve*(w.radius(i)+w.radius(j))/2
	own := l.pointsOf(p)
	far := 0 // point of q that is farthest along n
	for k := range q.hull {
		if n.Dot(q.hull[k]) > n.Dot(q.hull[far]) {
			far = k
		}
	}
	// Parts of a block are told from each other by where they begin, in parts of a span.
	begins := math.Floor(p.from)
	of := 16 * (1 + int(finest*(p.from-begins)) + finest*int(finest*(q.from-begins+float64(l.strips.spans)+1)))
	if j >= len(w.Robots) || l.rests(q) {
		for k := range own {
			l.late(lineKey{i, j, int(p.from), of + k}, n, keep+n.Dot(q.hull[far]), i, -1, own[k], nil)
		}
		return
	}
	other, near := l.pointsOf(q), 0
	for k := range p.hull {
		if n.Dot(p.hull[k]) < n.Dot(p.hull[near]) {
			near = k
		}
	}
	for k := range own {
		l.late(lineKey{i, j, int(p.from), of + 4*k + far}, n, keep, i, j, own[k], other[far])
		if k != far {
			l.late(lineKey{i, j, int(p.from), of + 4*near + k}, n, keep, i, j, own[near], other[k])
		}
	}
}

// hullPoint is a point of the hull of a part of a span, see [partRow].
type hullPoint struct{ row, rest, fold row }

// pointsOf returns those of a part of a robot's span.
func (l *lineMaker) pointsOf(p strip) (out [4]*hullPoint) {
	h := int(p.from)
	key := [3]float64{float64(h), p.from - float64(h), p.to - float64(h)}
	if known, ok := l.parts[key]; ok {
		return known
	}
	for k := range out {
		out[k] = &hullPoint{row: l.s.points[h][k]}
		if key[1] != 0 || key[2] != 1 {
			out[k].row, out[k].rest = partRow(h, k, key[1], key[2])
		}
		out[k].fold = out[k].row.folded(l.s.start.waypoints)
	}
	l.parts[key] = out
	return out
}

// late adds a line between a point of robot i and one of robot j, or of i alone where j is -1.
func (l *lineMaker) late(key lineKey, n geom.Vec2, bound float64, i, j int, own, other *hullPoint) {
	line := hullLine{n: n, i: int32(i), j: int32(j), point: &own.row, fold: &own.fold}
	line.bound = bound - own.rest.along(n, l.s.ext[2*i], l.s.ext[2*i+1])
	if j >= 0 {
		line.there, line.foldThere = &other.row, &other.fold
		line.bound += other.rest.along(n, l.s.ext[2*j], l.s.ext[2*j+1])
	}
	l.put(key, line)
}
