package judge

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// meeting is the motion of one track seen from another, in pieces in which neither has a
// knot.
type meeting struct {
	a, b  *track
	knots []float64
	of    [][2]int // pieces of both
}

// meet merges the knots of two tracks.
func meet(a, b *track) *meeting {
	m := &meeting{a: a, b: b, knots: []float64{math.Max(a.knots[0], b.knots[0])}}
	end := math.Min(a.knots[len(a.hulls)], b.knots[len(b.hulls)])
	for i, j := a.pieceAfter(m.knots[0]), b.pieceAfter(m.knots[0]); i < len(a.hulls) && j < len(b.hulls); {
		s, t := a.knots[i+1], b.knots[j+1]
		next := math.Min(math.Min(s, t), end)
		if next > m.knots[len(m.knots)-1] {
			m.knots, m.of = append(m.knots, next), append(m.of, [2]int{i, j})
		}
		if next >= end {
			break
		}
		if s <= next {
			i++
		}
		if t <= next {
			j++
		}
	}
	return m
}

// pieceAfter returns the piece that begins at a time or goes on beyond it.
func (t *track) pieceAfter(time float64) int {
	k := t.pieceAt(time)
	if k+1 < len(t.hulls) && t.knots[k+1] <= time {
		k++
	}
	return k
}

// piece returns the relative motion on a piece.
func (m *meeting) piece(k int) (geom.Bezier, float64) {
	from, to := m.knots[k], m.knots[k+1]
	p, e := m.a.cut(m.of[k][0], from, to)
	q, f := m.b.cut(m.of[k][1], from, to)
	return p.Sub(q), e + f
}

// around returns the boxes of both over pieces from to to, the last one left out.
func (m *meeting) around(from, to int) (geom.Box, geom.Box) {
	first, last := m.of[from], m.of[to-1]
	return m.a.around(first[0], last[0]+1), m.b.around(first[1], last[1]+1)
}

// boxGap is a lower bound of the distance between what is in two boxes, less than any
// distance where they overlap.
func boxGap(a, b geom.Box) float64 {
	dx := max(b.Min.X-a.Max.X, a.Min.X-b.Max.X)
	dy := max(b.Min.Y-a.Max.Y, a.Min.Y-b.Max.Y)
	switch {
	case dx > 0 && dy > 0:
		return math.Hypot(dx, dy) * (1 - 0x1p-40)
	case dx > 0 || dy > 0:
		return max(dx, dy) * (1 - 0x1p-40)
	}
	return math.Inf(-1)
}
