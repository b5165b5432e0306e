package cells

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/memory"
)

// The moves of a robot: bits of [Floor.Moves], in this order.
const (
	East = iota
	North
	West
	South
	directions
)

// Floor says where robots of one size may go on a grid of Width columns.
type Floor struct {
	Width int
	// Moves has a bit for every move that is free, cell by cell, row by row; moves lead to cells
	// of the grid and can be taken back.
	Moves []uint8
}

// Robot goes from one cell to another.
type Robot struct {
	Floor       *Floor
	Start, Goal int32
}

// Team is a crowd on one grid: starts differ from each other, and so do goals.
type Team struct {
	Robots []Robot
	// Tight reports whether two robots may not follow each other round corners; nil is none.
	Tight func(i, j int) bool

	known [][]int32 // what [Team.distances] returned, of Robots as they were then
}

// Ways are the cells of all robots, move by move: Ways[t][i] is where robot i is after t moves.
type Ways [][]int32

// step returns by how much a move changes the number of a cell.
func (f *Floor) step(direction int) int32 {
	switch direction {
	case East:
		return 1
	case North:
		return int32(f.Width)
	case West:
		return -1
	}
	return -int32(f.Width)
}

// beside appends the cells that can be moved to from a cell.
func (f *Floor) beside(dst []int32, cell int32) []int32 {
	for d := range directions {
		if f.Moves[cell]&(1<<d) != 0 {
			dst = append(dst, cell+f.step(d))
		}
	}
	return dst
}

// unreachable is the distance of cells from which there is no way.
const unreachable = math.MaxInt32

// distances returns the number of moves to the goals of all robots from every cell; fewer where the context ends or
// there is no room for more, which full says, and after a robot that has no way. [Team.Search] and [Team.Improve] share them.
func (t *Team) distances(ctx context.Context, room *memory.Room) (away [][]int32, full bool) {
	var queue []int32
	for i, r := range t.Robots {
		if !room.Take(4 * len(r.Floor.Moves)) {
			return t.known[:i], true
		}
		if i == len(t.known) {
			if ctx.Err() != nil {
				break
			}
			var table []int32
			table, queue = r.Floor.distances(r.Goal, queue)
			t.known = append(t.known, table)
		}
		if t.known[i][r.Start] == unreachable {
			return t.known[:i], false
		}
	}
	return t.known, false
}

// distances returns the number of moves to a goal from every cell. The queue may have room, and is returned with what it
// has then.
func (f *Floor) distances(goal int32, queue []int32) (out, used []int32) {
	out = make([]int32, len(f.Moves))
	for k := range out {
		out[k] = unreachable
	}
	out[goal] = 0
	queue = append(queue[:0], goal)
	var next [directions]int32
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, u := range f.beside(next[:0], v) {
			if out[u] == unreachable {
				out[u] = out[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return out, queue
}

// tight is Tight, which may be nil.
func (t *Team) tight(i, j int) bool { return t.Tight != nil && t.Tight(i, j) }

// Arrival returns the number of moves after which robot i is at its goal for good.
func (w Ways) Arrival(i int) int {
	h := len(w) - 1
	for h > 0 && w[h-1][i] == w[len(w)-1][i] {
		h--
	}
	return h
}

// Arrivals returns the sum of all arrivals, and the last one.
func (w Ways) Arrivals() (sum, last int) {
	for i := range w[0] {
		a := w.Arrival(i)
		sum, last = sum+a, max(last, a)
	}
	return sum, last
}
