package separation

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// inOneBlock is how many pieces of a way are tried with one direction.
const inOneBlock = 8

// witnessTubes returns the witnesses of bodies that are late: none for a world that is on time.
func (w *World) witnessTubes(ctx context.Context, s *strips) (out []Witness, proven bool, err error) {
	if w.Lateness == 0 {
		return nil, true, nil
	}
	all, proven := s.trails(), true
	for i := range w.Robots {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		for j := i + 1; j < len(all); j++ {
			p := tubeProof{tube: w.tube(all, i, j), of: Witness{Robot: i, Other: j}, proven: true}
			p.block(1, 1)
			out, proven = append(out, p.rows...), proven && p.proven
		}
	}
	return out, proven, nil
}

// tubeProof collects the witnesses of a tube: of blocks as large as one direction does for.
type tubeProof struct {
	tube
	of     Witness
	rows   []Witness
	proven bool
}

// block proves a block of two nodes.
func (t *tubeProof) block(m, n int) {
	p, q := &t.a.nodes[m], &t.b.nodes[n]
	if t.outside(p.from, p.to, q.from, q.to) {
		return
	}
	of := t.of
	of.From, of.To, of.There = p.from, p.to, [2]float64{q.from, q.to}
	endA, endB := m >= t.a.leaf, n >= t.b.leaf
	if axis, ok := aside(p.box, q.box, t.radius+t.a.blur+t.b.blur); ok {
		of.N = axis
		t.rows = append(t.rows, of)
		return
	}
	if max(p.last-p.first, q.last-q.first) <= inOneBlock {
		own, other := t.a.pieces[p.first:p.last], t.b.pieces[q.first:q.last]
		if endA && endB {
			t.pieces(own[0], other[0], halvings)
			return
		}
		_, d := gaps.Curves(geom.Straight(own[0].hull[0], own[len(own)-1].hull[3]), geom.Straight(other[0].hull[0], other[len(other)-1].hull[3]), t.radius)
		if t.confirmed(&of, d, own, other) {
			return
		}
	}
	switch {
	case endA || !endB && q.to-q.from > p.to-p.from:
		t.block(m, 2*n)
		t.block(m, 2*n+1)
	default:
		t.block(2*m, n)
		t.block(2*m+1, n)
	}
}

// pieces proves a block of two pieces, by their halves where that takes it.
func (t *tubeProof) pieces(p, q strip, depth int) {
	if t.outside(p.from, p.to, q.from, q.to) {
		return
	}
	of := t.of
	of.From, of.To, of.There = p.from, p.to, [2]float64{q.from, q.to}
	_, n := gaps.Curves(p.hull, q.hull, t.radius)
	if t.confirmed(&of, n, []strip{p}, []strip{q}) {
		return
	}
	if depth == 0 {
		t.proven = false
		return
	}
	for _, a := range p.halves() {
		for _, b := range q.halves() {
			t.pieces(a, b, depth-1)
		}
	}
}

// confirmed appends the witness with a direction that the numbers confirm, with few digits where
// that will do, and reports whether there is one.
func (t *tubeProof) confirmed(of *Witness, n geom.Vec2, own, other []strip) bool {
	s := strand{radius: t.radius, core: geom.Polygon{{}}}
	var all []strip
	for _, p := range own {
		for _, q := range other {
			for _, v := range q.hull {
				seen := p
				for k := range seen.hull {
					seen.hull[k] = seen.hull[k].Sub(v)
				}
				seen.blur += q.blur
				all = append(all, seen)
			}
		}
	}
	n, ok := s.near(n, all)
	if ok {
		of.N = n
		t.rows = append(t.rows, *of)
	}
	return ok
}
