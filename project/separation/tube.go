package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// With a lateness, a robot that is at progress s of its way may meet another one at any progress
// u that differs by the lateness at most: both are late, one more than the other. These (s, u)
// are a band around the diagonal, the tube, and in all of it the two have to be apart, not
// only on the diagonal itself. Blocks of the band are pieces of one way beside pieces of the
// other, wherever on them the two are; see [gaps.Curves].

// trail is the motion of a body in pieces, and the boxes of runs of them: node k has those
// of nodes 2k and 2k+1, and the pieces begin at leaf.
type trail struct {
	pieces []strip
	nodes  []node
	leaf   int
	blur   float64 // largest of the pieces
}

// node is a run of pieces: when, where, and which, the last one left out.
type node struct {
	from, to    float64 // no time in nodes without pieces
	box         geom.Box
	first, last int
}

// trails returns the motions of all bodies. Robots rest at their ends while traffic goes on.
func (s *strips) trails() []trail {
	var out []trail
	for i, hulls := range s.hulls {
		var all []strip
		for h, hull := range hulls {
			all = append(all, strip{float64(h), float64(h + 1), hull, s.blur[i][h]})
		}
		for h := s.spans; h < s.spans+s.rest; h++ {
			all = append(all, strip{float64(h), float64(h + 1), s.hull(i, h), s.blur[i][s.spans-1]})
		}
		out = append(out, newTrail(all))
	}
	for _, all := range s.other {
		out = append(out, newTrail(all))
	}
	return out
}

func newTrail(pieces []strip) trail {
	t := trail{pieces: pieces, leaf: 1}
	for t.leaf < len(pieces) {
		t.leaf *= 2
	}
	t.nodes = make([]node, 2*t.leaf)
	for k := range t.leaf {
		t.nodes[t.leaf+k] = node{from: math.Inf(1), to: math.Inf(-1)}
		if k < len(pieces) {
			p := pieces[k]
			t.nodes[t.leaf+k] = node{p.from, p.to, p.hull.Bounds(), k, k + 1}
			t.blur = max(t.blur, p.blur)
		}
	}
	for k := t.leaf - 1; k > 0; k-- {
		a, b := t.nodes[2*k], t.nodes[2*k+1]
		if t.nodes[k] = a; b.first < b.last {
			t.nodes[k] = node{a.from, b.to, a.box.Join(b.box), a.first, b.last}
		}
	}
	return t
}

// tube is the band of two trails.
type tube struct {
	a, b         *trail
	late, radius float64
}

func (w *World) tube(all []trail, i, j int) tube {
	return tube{&all[i], &all[j], w.Lateness, w.radius(i) + w.radius(j)}
}

// outside reports whether two stretches of time lie outside the band.
func (t tube) outside(from, to, otherFrom, otherTo float64) bool {
	return !(max(otherFrom-to, from-otherTo) <= t.late)
}

// blocks calls f for the blocks of two pieces in the band whose boxes are no farther from each
// other than enough says.
func (t tube) blocks(m, n int, enough func() float64, f func(p, q strip)) {
	p, q := &t.a.nodes[m], &t.b.nodes[n]
	if t.outside(p.from, p.to, q.from, q.to) || boxesGap(p.box, q.box)-t.radius-t.a.blur-t.b.blur >= enough() {
		return
	}
	endA, endB := m >= t.a.leaf, n >= t.b.leaf
	switch {
	case endA && endB:
		f(t.a.pieces[p.first], t.b.pieces[q.first])
	case endA || !endB && q.to-q.from > p.to-p.from:
		t.blocks(m, 2*n, enough, f)
		t.blocks(m, 2*n+1, enough, f)
	default:
		t.blocks(2*m, n, enough, f)
		t.blocks(2*m+1, n, enough, f)
	}
}

// gap returns the gap of a block, by halves of both pieces where their hulls are too wide and
// the gap is less than enough, and the direction that shows it; +Inf outside the band.
func (t tube) gap(p, q strip, depth int, enough float64) (float64, geom.Vec2) {
	if t.outside(p.from, p.to, q.from, q.to) {
		return math.Inf(1), geom.Vec2{}
	}
	gap, n := gaps.Curves(p.hull, q.hull, t.radius+p.blur+q.blur)
	if depth == 0 || gap >= enough || t.seen(p, q) <= gap+1e-9*t.radius {
		return gap, n
	}
	least, m := math.Inf(1), n
	for _, a := range p.halves() {
		for _, b := range q.halves() {
			if g, k := t.gap(a, b, depth-1, min(enough, least)); g < least {
				least, m = g, k
			}
		}
	}
	if least > gap {
		return least, m
	}
	return gap, n
}

// seen returns the smallest gap at the corners of a block that are in the band: where it is
// as small as that of the hulls, there is nothing to gain by halves.
func (t tube) seen(p, q strip) float64 {
	least := math.Inf(1)
	for k, s := range [2]float64{p.from, p.to} {
		for m, u := range [2]float64{q.from, q.to} {
			if !t.outside(s, s, u, u) {
				least = min(least, p.hull[3*k].Dist(q.hull[3*m])-t.radius-p.blur-q.blur)
			}
		}
	}
	return least
}

// halves returns the halves of a piece.
func (p strip) halves() (out [2]strip) {
	out = [2]strip{p, p}
	out[0].hull, out[1].hull = p.hull.Halves()
	out[0].to = (p.from + p.to) / 2
	out[1].from = out[0].to
	return out
}

// judgeTubes measures the gaps between bodies that are late.
func (w *World) judgeTubes(v *Verdict, s *strips, beyond float64) {
	all := s.trails()
	for i := range w.Robots {
		for j := i + 1; j < len(all); j++ {
			t := w.tube(all, i, j)
			t.blocks(1, 1, func() float64 { return min(v[Bodies].Value, w.Margin+beyond) }, func(p, q strip) {
				if gap, n := t.gap(p, q, halvings, v[Bodies].Value); gap < v[Bodies].Value {
					v[Bodies] = Margin{gap, i, j, min(int(p.from), s.spans-1), n, 1}
				}
			})
		}
	}
}
