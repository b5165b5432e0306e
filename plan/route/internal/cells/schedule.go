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
	at    []occupants // after every move
	ways  Ways

	// Of the search of one robot, see travel: the states that were reached, and those that wait, by the time
	// at which they arrive at the earliest.
	reached reached
	queues  [][]int64
	looked  int         // states, over all searches
	over    func() bool // whether the time is; a search for one way ends then
}

// untilAsked is how many states are looked at before it is asked whether the time is over: a search for one way comes to
// millions on large maps.
const untilAsked = 1 << 12

// newSchedule returns the schedule of ways, which it changes; nil if it takes too many bytes.
func (t *Team) newSchedule(w Ways, room *memory.Room) *schedule {
	s := &schedule{Team: t, cells: len(t.Robots[0].Floor.Moves), last: len(w) - 1, ways: w, reached: reached{room: room}}
	size := occupantsFor(len(t.Robots))
	if !room.Take(bytesOfOccupant * size * len(w)) {
		return nil
	}
	all := slices.Repeat(occupants{{cell: nobody}}, size*len(w))
	s.at = slices.Collect(slices.Chunk(all, size))
	for i := range t.Robots {
		s.put(i)
	}
	s.queues = make([][]int64, len(w)+1)
	return s
}

// who returns the robot in cell v after t moves; nobody where it is free.
func (s *schedule) who(v int32, t int) int32 { return s.at[t].in(v) }

// put enters the way of robot i, and lift takes it out.
func (s *schedule) put(i int) {
	for t, row := range s.ways {
		s.at[t].enter(row[i], int32(i))
	}
}

func (s *schedule) lift(i int) {
	for t, row := range s.ways {
		s.at[t].leave(row[i])
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
	if s.who(u, t+1) != nobody {
		return false
	}
	if u == v {
		return true
	}
	k := s.who(v, t+1)
	if j := s.who(u, t); j != nobody {
		if k == j || s.tight(i, int(j)) && s.ways[t+1][j]-u != u-v {
			return false
		}
	}
	if k != nobody && s.tight(i, int(k)) && v-s.ways[t][k] != u-v {
		return false
	}
	return true
}

// travel returns the way of robot i, which is not entered, that arrives first among all who are,
// and no later than after so many moves; nil if there is none or the time is over. away are the moves to
// its goal. It is A* over cells and times.
func (s *schedule) travel(i int, away []int32, latest int) []int32 {
	r := s.Robots[i]
	earliest := s.clear(r.Goal)
	if s.who(r.Start, 0) != nobody || s.who(r.Goal, s.last) != nobody {
		return nil
	}
	s.reached.forget()
	for k := range s.queues {
		s.queues[k] = s.queues[k][:0]
	}
	push := func(state int64, move uint8, arrives int) {
		if s.reached.add(state, move) {
			s.queues[arrives] = append(s.queues[arrives], state)
		}
	}
	if first := int(away[r.Start]); first <= latest {
		push(int64(r.Start), directions, first)
	}
	for f := 0; f <= latest; f++ {
		for len(s.queues[f]) > 0 {
			n := len(s.queues[f]) - 1
			state := s.queues[f][n]
			s.queues[f] = s.queues[f][:n]
			if s.looked++; s.looked%untilAsked == 0 && s.over() {
				return nil
			}
			t, v := int(state/int64(s.cells)), int32(state%int64(s.cells))
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
				next := int64(t+1)*int64(s.cells) + int64(u)
				if arrives <= latest && !s.reached.has(next) && s.free(i, v, u, t) {
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
	for t > 0 && s.who(cell, t-1) == nobody {
		t--
	}
	return t
}

// trace returns the way to a state, at whose cell the robot stays.
func (s *schedule) trace(i int, state int64) []int32 {
	t, v := int(state/int64(s.cells)), int32(state%int64(s.cells))
	out := slices.Repeat([]int32{v}, len(s.ways))
	for ; t > 0; t-- {
		if d := int(s.reached.by(int64(t)*int64(s.cells) + int64(v))); d < directions {
			v -= s.Robots[i].Floor.step(d)
		}
		out[t-1] = v
	}
	return out
}
