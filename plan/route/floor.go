package route

import (
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/plan/route/internal/cells"
)

// apart is the least distance, in sides of a cell, of two robots of which one follows the
// other round a corner, from cell to cell: half-way they are 1/√2 apart. On curves that have the middles for
// control points other turns before and after bring them nearer.
func (t Task) apart() float64 {
	if t.Smooth {
		return 0.647
	}
	return math.Sqrt2 / 2 * (1 - 1e-9)
}

// lattice returns the cells that a crowd can move on, and why it cannot use those of the map,
// "" if it does: the map's own where all robots fit into them; otherwise some that are just large enough to
// follow each other round corners.
func (t Task) lattice() (l *nav2d.Lattice, why string) {
	largest := 0.0
	for _, d := range t.Disks {
		largest = max(largest, d.Radius)
	}
	need := 2*largest + t.Margin
	switch own := t.Map.Cells; {
	case own == nil:
		why = "the map has no cells"
	case need > own.Side()*(1+1e-9):
		why = "a robot and the margin are wider than a cell of the map"
	default:
		return own, ""
	}
	side := need / t.apart() * (1 + 1e-6)
	size := t.Map.Bounds.Size()
	columns, rows := math.Floor(size.X/side), math.Floor(size.Y/side)
	if !(columns >= 1 && rows >= 1 && columns*rows <= asidePlaces*4) {
		return nil, why + ", and its bounds hold none or too many that are large enough"
	}
	// The rest of the width is left on both sides alike.
	first := t.Map.Bounds.Min.Add(size.Sub(geom.Vec2{X: (columns - 1) * side, Y: (rows - 1) * side}).Scale(0.5))
	return &nav2d.Lattice{First: first, Along: geom.Vec2{X: side}, Up: geom.Vec2{Y: side}, Columns: int(columns), Rows: int(rows)}, why
}

// floorOf returns where a disk of a radius can go on a lattice.
func (t Task) floorOf(l *nav2d.Lattice, radius float64) *cells.Floor {
	f := &cells.Floor{Width: l.Columns, Moves: make([]uint8, l.Columns*l.Rows)}
	var near []int
	room, keep := t.Map.Room(radius), radius+t.Margin
	open := func(a, b geom.Vec2) bool {
		if !within(room, a) || !within(room, b) {
			return false
		}
		s := geom.Segment{A: a, B: b}
		near = t.Map.Near(near[:0], s.Bounds().Grow(keep))
		return clearOf(t.Map, near, s, keep)
	}
	for j := range l.Rows {
		for i := range l.Columns {
			at, cell := l.Center(i, j), j*l.Columns+i
			if i+1 < l.Columns && open(at, l.Center(i+1, j)) {
				f.Moves[cell] |= 1 << cells.East
				f.Moves[cell+1] |= 1 << cells.West
			}
			if j+1 < l.Rows && open(at, l.Center(i, j+1)) {
				f.Moves[cell] |= 1 << cells.North
				f.Moves[cell+l.Columns] |= 1 << cells.South
			}
		}
	}
	return f
}

// within reports whether a point lies in a box, up to rounding.
func within(b geom.Box, p geom.Vec2) bool {
	return b.Grow(1e-9 * (1 + math.Abs(p.X) + math.Abs(p.Y))).Contains(p)
}

// clearOf reports whether a straight way keeps a distance from obstacles of a map.
func clearOf(m *nav2d.Map, near []int, s geom.Segment, keep float64) bool {
	for _, k := range near {
		c, ok := geom.ConvexOf(m.Obstacles[k])
		if !ok {
			return false
		}
		if gap, _ := gaps.Segment(c, s, 0); gap < keep*(1-1e-9) {
			return false
		}
	}
	return true
}
