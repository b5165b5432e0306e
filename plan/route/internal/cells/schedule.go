package cells

import (
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// schedule says who is where at which time, up to a last move after which all stay.
type schedule struct {
	*Team
	cells int
	last  int
	at    []int32 // robot in cell v after t moves at [t*cells+v]; nobody where it is free
	ways  Ways

	// Of the search of one robot, see travel: in which search a state was reached last, by which move, and
	// the states that wait, by the time at which they arrive at the earliest.
	seen   []int32
	from   []uint8
	stamp  int32
	queues [][]int32
	looked int // states, over all searches
}

// newSchedule returns the schedule of ways, which it changes; nil if it takes too many bytes.
func (t *Team) newSchedule(w Ways, room *memory.Room) *schedule {
	s := &schedule{Team: t, cells: len(t.Robots[0].Floor.Moves), last: len(w) - 1, ways: w}
	states := s.cells * len(w)
	if !room.Take(9 * states) {
		return nil
	}
	s.at, s.seen, s.from = slices.Repeat([]int32{nobody}, states), make([]int32, states), make([]uint8, states)
	for i := range t.Robots {
		s.put(i)
	}
	s.queues = make([][]int32, len(w)+1)
	return s
}

// put enters the way of robot i, and lift takes it out.
func (s *schedule) put(i int)  { s.mark(i, int32(i)) }
func (s *schedule) lift(i int) { s.mark(i, nobody) }

func (s *schedule) mark(i int, who int32) {
	for t, row := range s.ways {
		s.at[t*s.cells+int(row[i])] = who
	}
}

// way returns that of robot i, and set changes it.
func (s *schedule) way(i int) []int32 {
	out := make([]int32, len(s.ways))
	for t, row := range s.ways {
		out[t] = row[i]
	}
	return out
}

func (s *schedule) set(i int, way []int32) {
	for t, row := range s.ways {
		row[i] = way[t]
	}
}

// free reports whether robot i can move from v to u as move t+1, beside all that are entered.
func (s *schedule) free(i int, v, u int32, t int) bool {
	now, next := s.at[t*s.cells:(t+1)*s.cells], s.at[(t+1)*s.cells:(t+2)*s.cells]
	if next[u] != nobody {
		return false
	}
	if u == v {
		return true
	}
	if j := now[u]; j != nobody {
		if next[v] == j || s.tight(i, int(j)) && s.ways[t+1][j]-u != u-v {
			return false
		}
	}
	if k := next[v]; k != nobody && s.tight(i, int(k)) && v-s.ways[t][k] != u-v {
		return false
	}
	return true
}

// travel returns the way of robot i, which is not entered, that arrives first among all who are,
// and no later than after so many moves; nil if there is none. away are the moves to
// its goal. It is A* over cells and times.
func (s *schedule) travel(i int, away []int32, latest int) []int32 {
	r := s.Robots[i]
	earliest := s.clear(r.Goal)
	if s.at[int(r.Start)] != nobody || s.at[s.last*s.cells+int(r.Goal)] != nobody {
		return nil
	}
	s.stamp++
	for k := range s.queues {
		s.queues[k] = s.queues[k][:0]
	}
	push := func(state int32, move uint8, arrives int) {
		if arrives <= latest && s.seen[state] != s.stamp {
			s.seen[state], s.from[state] = s.stamp, move
			s.queues[arrives] = append(s.queues[arrives], state)
		}
	}
	push(r.Start, directions, int(away[r.Start]))
	for f := 0; f <= latest; f++ {
		for len(s.queues[f]) > 0 {
			n := len(s.queues[f]) - 1
			state := s.queues[f][n]
			s.queues[f] = s.queues[f][:n]
			s.looked++
			t, v := int(state)/s.cells, state%int32(s.cells)
			if v == r.Goal && t >= earliest {
				return s.trace(i, state)
			}
			if t == s.last {
				continue
			}
			for d := directions; d >= 0; d-- {
				u := v
				if d < directions {
					if r.Floor.Moves[v]&(1<<d) == 0 {
						continue
					}
					u += r.Floor.step(d)
				}
				arrives := t + 1 + int(away[u])
				next := int32((t+1)*s.cells) + u
				if arrives <= latest && s.seen[next] != s.stamp && s.free(i, v, u, t) {
					push(next, uint8(d), arrives)
				}
			}
		}
	}
	return nil
}

// clear returns the number of moves after which nobody comes through a cell any more.
func (s *schedule) clear(cell int32) int {
	t := s.last + 1
	for t > 0 && s.at[(t-1)*s.cells+int(cell)] == nobody {
		t--
	}
	return t
}

// trace returns the way to a state, at whose cell the robot stays.
func (s *schedule) trace(i int, state int32) []int32 {
	t, v := int(state)/s.cells, state%int32(s.cells)
	out := slices.Repeat([]int32{v}, len(s.ways))
	for ; t > 0; t-- {
		if d := int(s.from[t*s.cells+int(v)]); d < directions {
			v -= s.Robots[i].Floor.step(d)
		}
		out[t-1] = v
	}
	return out
}
