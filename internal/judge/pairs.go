package judge

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// judgePairs judges every two bodies of which one is a robot, the nearest first: then most
// others are known to be further apart than these.
func (c *court) judgePairs(ctx context.Context) error {
	for i := range c.Robots {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := i + 1; j < c.bodies(); j++ {
			a, b := c.tracks[i], c.tracks[j]
			radii := c.body(i).Radius + c.body(j).Radius
			blur := a.most + b.most
			if gap := boxGap(a.boxes[1], b.boxes[1]) - radii - blur; gap >= max(c.Margin, c.marginOf(Separation)) {
				continue
			}
			if a.timed && b.timed {
				c.judgePair(i, j, radii)
			} else {
				c.judgeWays(i, j, radii)
			}
		}
	}
	return nil
}

func (c *court) judgePair(i, j int, radii float64) {
	l := lookAtPair(c.Margin, radii)
	l.most = c.marginOf(Separation)
	m := meet(c.tracks[i], c.tracks[j])
	m.look(l, radii+c.tracks[i].most+c.tracks[j].most, 0, len(m.of))
	c.told(l, Separation, i, j, func(time float64) float64 { return m.a.at(time).Dist(m.b.at(time)) - radii })
}

// lookAtPair looks at relative motions of two disks.
func lookAtPair(need, radii float64) *look {
	l := newLook(need, radii)
	l.gap = func(b geom.Bezier, blur float64) float64 {
		g, _ := gaps.Hull(b, radii+blur)
		return g
	}
	l.at = func(p geom.Vec2) float64 { return p.Norm() - radii }
	return l
}

// look looks at pieces from to to, the last one left out, unless their boxes are far apart.
func (m *meeting) look(l *look, radii float64, from, to int) {
	if from == to {
		return
	}
	a, b := m.around(from, to)
	if gap := boxGap(a, b) - radii; gap >= max(l.need, l.smaller(0)) {
		l.least = min(l.least, gap)
		return
	}
	if to-from == 1 {
		hull, blur := m.piece(from)
		l.see(hull, blur, m.knots[from], m.knots[to])
		return
	}
	middle := (from + to) / 2
	m.look(l, radii, from, middle)
	m.look(l, radii, middle, to)
}

// judgeWays judges two ways, wherever on them both are: one of them has no times.
func (c *court) judgeWays(i, j int, radii float64) {
	a, b := c.tracks[i], c.tracks[j]
	w := ways{a: a, b: b, radii: radii, need: c.Margin, least: math.Inf(1)}
	w.look(1, 1)
	place := a.hulls[w.worst[0]][0]
	at := a.knots[w.worst[0]]
	c.offer(Margin{Separation, w.least, i, j, at, place})
	if w.least < c.Margin {
		c.verdict.Faults = append(c.verdict.Faults, Fault{
			Kind: Separation, Robot: i, Other: j, From: at, To: a.knots[w.worst[0]+1], At: at, Place: place,
			Gap: w.least, By: c.Margin - w.least, Anytime: true,
		})
	}
}

// ways compares every piece of one way with every piece of another.
type ways struct {
	a, b        *track
	radii, need float64
	least       float64
	worst       [2]int
}

// look compares the pieces under two nodes of the trees.
func (w *ways) look(m, n int) {
	gap := boxGap(w.a.boxes[m], w.b.boxes[n]) - w.radii
	if gap >= w.least || w.a.boxes[m].Min.X > w.a.boxes[m].Max.X || w.b.boxes[n].Min.X > w.b.boxes[n].Max.X {
		return
	}
	endA, endB := m >= w.a.leaf, n >= w.b.leaf
	switch {
	case endA && endB:
		p, q := m-w.a.leaf, n-w.b.leaf
		g := w.pieces(w.a.hulls[p], w.b.hulls[q], w.a.blur[p]+w.b.blur[q], 0)
		if g < w.least {
			w.least, w.worst = g, [2]int{p, q}
		}
	case endA:
		w.look(m, 2*n)
		w.look(m, 2*n+1)
	case endB:
		w.look(2*m, n)
		w.look(2*m+1, n)
	default:
		for k := range 4 {
			w.look(2*m+k%2, 2*n+k/2)
		}
	}
}

// pieces returns the gap of two pieces, by halves where their hulls are too wide.
func (w *ways) pieces(p, q geom.Bezier, blur float64, depth int) float64 {
	gap, _ := gaps.Curves(p, q, w.radii+blur)
	seen := p[0].Dist(q[0]) - w.radii
	if gap >= w.need || depth == 6 || seen <= gap+near*w.radii {
		return gap
	}
	first, second := p.Halves()
	third, fourth := q.Halves()
	least := math.Inf(1)
	for _, a := range [2]geom.Bezier{first, second} {
		for _, b := range [2]geom.Bezier{third, fourth} {
			least = min(least, w.pieces(a, b, blur, depth+1))
		}
	}
	return max(gap, least)
}
