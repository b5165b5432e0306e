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

// MoveTime returns the seconds that a disk needs to move from a cell to the next: at its speed
// limit, or as long as it takes to come back at its limit of acceleration; +Inf if it does not
// fit into a cell.
func (l *Lattice) MoveTime(radius, margin, speed, acceleration float64) float64 {
	side := l.Side()
	if 2*radius+margin > side*(1+moveSlack) {
		return math.Inf(1)
	}
	move := side / speed
	if acceleration > 0 {
		move = max(move, math.Sqrt(2*side/acceleration))
	}
	return move
}

// WaypointsOfMoves returns how many waypoints a plan has that takes so many seconds and moves from
// cell to cell in the time of a move: one for each move, because a way may turn in every
// cell, or a whole number of them where there is time for fewer moves than so many waypoints at least.
// Moves that take no time, or forever, do not count.
func WaypointsOfMoves(seconds, move float64, least int) int {
	moves := math.Floor(seconds / (move * (1 + moveSlack)))
	if !(moves >= 1) || math.IsInf(moves, 1) {
		return least
	}
	return int(min(moves*math.Ceil(float64(least)/moves), max(maxWaypoints, float64(least))))
}

// waypoints returns how many waypoints the plans of a task have that takes so many seconds:
// as many as models have or, on a map with cells, as many as [WaypointsOfMoves] says.
func (t *Task) waypoints(seconds float64) int {
	if t.Map.Cells == nil || len(t.Traffic) > 0 || t.Shortest {
		return Waypoints
	}
	move := 0.0
	for _, r := range t.Robots {
		move = max(move, t.Map.Cells.MoveTime(r.Radius, t.Margin, r.Speed, r.Acceleration))
	}
	return WaypointsOfMoves(seconds, move, Waypoints)
}
