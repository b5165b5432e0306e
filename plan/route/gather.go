package route

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/route/internal/cells"
)

// gathering leads robots from where they are to the middles of cells, in turns: in each, some
// go straight and all others stand.
type gathering struct {
	cells []int32
	turns [][]geom.Vec2 // where everybody is after each turn; the first is where they begin
}

// gatherRings bounds how many cells away from its own a robot looks for one.
const gatherRings = 2

// gather returns the way of robots from some points to cells of their own; nil if a robot finds none or all are
// in each other's way.
func (t Task) gather(l *nav2d.Lattice, floors []*cells.Floor, from []geom.Vec2) *gathering {
	g := &gathering{cells: make([]int32, len(from)), turns: [][]geom.Vec2{slices.Clone(from)}}
	taken := map[int32]bool{}
	order := make([]int, len(from)) // who stands in the middle of a cell has it
	for i := range order {
		order[i] = i
	}
	away := func(i int) float64 { return l.Center(l.Cell(from[i])).Dist(from[i]) }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(away(a), away(b)) })
	to := make([]geom.Vec2, len(from))
	for _, i := range order {
		cell := t.cellFor(l, floors[i], i, from[i], taken)
		if cell < 0 {
			return nil
		}
		g.cells[i], taken[cell] = cell, true
		to[i] = l.Center(int(cell)%l.Columns, int(cell)/l.Columns)
	}
	for {
		now := g.turns[len(g.turns)-1]
		next, left, moved := t.turn(now, to)
		if !left {
			return g
		}
		if !moved {
			return nil
		}
		g.turns = append(g.turns, next)
	}
}

// cellFor returns the nearest free cell that robot i can go straight to, -1 if there is none.
func (t Task) cellFor(l *nav2d.Lattice, f *cells.Floor, i int, from geom.Vec2, taken map[int32]bool) int32 {
	best, nearest := int32(-1), math.Inf(1)
	a, b := l.Cell(from)
	keep := t.Disks[i].Radius + t.Margin
	for y := b - gatherRings; y <= b+gatherRings; y++ {
		for x := a - gatherRings; x <= a+gatherRings; x++ {
			if !l.Holds(x, y) {
				continue
			}
			cell, at := int32(y*l.Columns+x), l.Center(x, y)
			if d := at.Dist(from); taken[cell] || f.Moves[cell] == 0 || d >= nearest {
				continue
			}
			s := geom.Segment{A: from, B: at}
			if near := t.Map.Near(nil, s.Bounds().Grow(keep)); clearOf(t.Map, near, s, keep) {
				best, nearest = cell, at.Dist(from)
			}
		}
	}
	return best
}

// sameCell is how near to the middle of a cell, in lengths of the map, a robot is taken to be there.
const sameCell = 1e-12

// turn moves everybody who can go straight to its place beside all others, and says whether there
// are any left to move, and whether any of them did.
func (t Task) turn(now, to []geom.Vec2) (next []geom.Vec2, left, moved bool) {
	next = slices.Clone(now)
	for i := range now {
		if now[i].Dist(to[i]) <= sameCell {
			next[i] = to[i]
			continue
		}
		left = true
		if t.canGo(now, next, i, to[i]) {
			next[i], moved = to[i], true
		}
	}
	return next, left, moved
}

// canGo reports whether robot i can go straight to a place while all others move from now to
// next.
func (t Task) canGo(now, next []geom.Vec2, i int, to geom.Vec2) bool {
	for j := range now {
		if j == i {
			continue
		}
		need := t.Disks[i].Radius + t.Disks[j].Radius + t.Margin
		if tooNear(now[i].Sub(now[j]), to.Sub(next[j]), need*(1-1e-9)) {
			return false
		}
	}
	return true
}
