package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/maps"
)

// Lattice is a regular grid of square cells on a map: Columns times Rows of them, of which the
// first, (0, 0), has its middle at First.
type Lattice struct {
	First         geom.Vec2
	Along, Up     geom.Vec2 // from the middle of a cell to those of the next column and row
	Columns, Rows int
}

// Center returns the middle of cell (i, j).
func (l *Lattice) Center(i, j int) geom.Vec2 {
	return l.First.Add(l.Along.Scale(float64(i))).Add(l.Up.Scale(float64(j)))
}

// Side returns the side of a cell.
func (l *Lattice) Side() float64 { return l.Along.Norm() }

// Cell returns the cell that holds a point, which may lie outside of the lattice.
func (l *Lattice) Cell(p geom.Vec2) (i, j int) {
	d, side := p.Sub(l.First), l.Side()
	at := func(axis geom.Vec2) int { return int(math.Floor(d.Dot(axis)/(side*side) + 0.5)) }
	return at(l.Along), at(l.Up)
}

// Holds reports whether the lattice has a cell (i, j).
func (l *Lattice) Holds(i, j int) bool { return i >= 0 && j >= 0 && i < l.Columns && j < l.Rows }

// latticeOf returns the cells of a grid in the coordinates of the map.
func latticeOf(g *maps.Grid, f Frame) *Lattice {
	if g == nil {
		return nil
	}
	first := g.Center(0, 0)
	return &Lattice{
		First: f.ToMap(first), Along: g.Center(1, 0).Sub(first).Scale(1 / f.Scale), Up: g.Center(0, 1).Sub(first).Scale(1 / f.Scale),
		Columns: g.Width, Rows: g.Height,
	}
}

// maxWaypoints bounds the number of waypoints of a plan.
const maxWaypoints = 8192

// moveSlack is by how much a move from cell to cell may be longer than the cell by rounding,
// relatively.
const moveSlack = 1e-5

// waypoints returns how many waypoints the plans of a task have that takes so many seconds:
// as many as models have. On a map with cells that its robots fit into a move from cell to cell takes one
// waypoint, because a way may turn in every cell, or a whole number of them where there is time for
// fewer moves than models have waypoints.
func (t *Task) waypoints(seconds float64) int {
	if t.Map.Cells == nil {
		return Waypoints
	}
	side, move := t.Map.Cells.Side(), 0.0
	for _, r := range t.Robots {
		if 2*r.Radius+t.Margin > side {
			return Waypoints
		}
		move = max(move, side/r.Speed)
		if r.Acceleration > 0 {
			move = max(move, math.Sqrt(2*side/r.Acceleration))
		}
	}
	if move == 0 {
		return Waypoints
	}
	moves := math.Floor(seconds / (move * (1 + moveSlack)))
	if moves < 1 {
		return Waypoints
	}
	return int(min(moves*math.Ceil(Waypoints/moves), maxWaypoints))
}
