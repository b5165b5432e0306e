package cells

import "math"

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

// distances returns the number of moves to a goal from every cell.
func (f *Floor) distances(goal int32) []int32 {
	out := make([]int32, len(f.Moves))
	for k := range out {
		out[k] = unreachable
	}
	out[goal] = 0
	queue := []int32{goal}
	var next []int32
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		next = f.beside(next[:0], at)
		for _, u := range next {
			if out[u] == unreachable {
				out[u] = out[at] + 1
				queue = append(queue, u)
			}
		}
	}
	return out
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
