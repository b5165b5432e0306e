// Package lacam searches ways of a crowd over its configurations: where every robot is, after
// each move that all of them make at the same time. It knows no space: a [Crowd] says where robots can go
// and proposes configurations, and what it proposes for a configuration and a demand is what can follow it.
//
// Source: Okumura, "LaCAM: search-based algorithm for quick multi-agent pathfinding" (2023),
// algorithm 1.
package lacam

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// Crowd is what is moved: robots, by their numbers, from place to place of a graph.
type Crowd interface {
	// Moves appends the places where a robot can go from one, that place included.
	Moves(dst []int32, robot, place int32) []int32
	// Propose returns the places of all robots after one more move, with those of a demand at
	// theirs and the others chosen in an order; nil if it finds none. It keeps no argument.
	Propose(now []int32, depth int, order []int32, d Demand) []int32
	// Arrived reports whether all robots are where they go, and can stay there.
	Arrived(places []int32, depth int) bool
}

// Demand is what a configuration has to fulfil: robot Robots[k] is at Places[k].
type Demand struct{ Robots, Places []int32 }

// Search says from where to where, and how far to search. Priorities are of a precision of their
// own, because ties are broken by the numbers of robots.
type Search[P float32 | float64] struct {
	Crowd    Crowd
	Starts   []int32
	Goals    []int32
	Priority []P // of robots at the start, in [0, 1); the largest one comes first
	// Deepest is the number of moves after which a configuration is not followed; 0 is any.
	Deepest int
	// Timed says that what can follow a configuration depends on the number of moves before it.
	Timed bool
	// Stop ends the search; it is asked before each configuration.
	Stop func() bool
	// Restart is asked where a known configuration is proposed again: whether to go on from the
	// start instead of from there. Nil is never.
	Restart func() bool
	Draw    *rand.Rand
	// Room is what is left of memory, of which a demand takes DemandBytes and each robot of a
	// configuration RobotBytes.
	Room                    *memory.Room
	DemandBytes, RobotBytes int

	moves []int32 // scratch
	name  []byte  // that of the last configuration
}

// configuration is a node of the search.
type configuration[P float32 | float64] struct {
	places   []int32
	parent   *configuration[P]
	depth    int // moves from the start
	priority []P
	order    []int32   // robots, the highest priority first
	tree     []*demand // that are left to try; nil demands nothing
}

// Run returns the places of all robots from the starts to the goals, move by move: nil if it found
// none. Then exhausted says that there are none, as everything that can be proposed was tried.
//
// The search is depth first. Each time that it returns to a configuration it follows it under the next
// demand: the first one demands nothing, later ones send one robot more to each of its moves,
// so that in the end all successors are among them.
func (s *Search[P]) Run() (ways [][]int32, exhausted bool) {
	first := s.first()
	open := []*configuration[P]{first}
	known := map[string]*configuration[P]{string(s.key(first.places, 0)): first}
	var d Demand
	for len(open) > 0 {
		if s.Room.Full || s.Stop() {
			return nil, false
		}
		at := open[len(open)-1]
		if s.Crowd.Arrived(at.places, at.depth) {
			return at.ways(), false
		}
		if len(at.tree) == 0 || s.Deepest > 0 && at.depth >= s.Deepest {
			open = open[:len(open)-1]
			continue
		}
		next := at.tree[0]
		at.tree = at.tree[1:]
		s.extend(at, next)
		d = next.all(d)
		places := s.Crowd.Propose(at.places, at.depth, at.order, d)
		if places == nil {
			continue
		}
		key := s.key(places, at.depth+1)
		to := known[string(key)]
		switch {
		case to != nil:
			if at.depth+1 < to.depth {
				to.parent, to.depth = at, at.depth+1
			}
			if s.Restart != nil && s.Restart() {
				to = first
			}
		case !s.Room.Take(s.RobotBytes * len(places)):
			return nil, false
		default:
			to = s.after(at, places)
			known[string(key)] = to
		}
		open = append(open, to)
	}
	return nil, true
}

// first returns the configuration of the starts.
func (s *Search[P]) first() *configuration[P] {
	c := &configuration[P]{places: s.Starts, priority: s.Priority, tree: []*demand{nil}}
	c.sort()
	return c
}

// after returns a configuration that follows another one: who has not arrived gains priority.
func (s *Search[P]) after(at *configuration[P], places []int32) *configuration[P] {
	c := &configuration[P]{places: places, parent: at, depth: at.depth + 1, tree: []*demand{nil}}
	c.priority = make([]P, len(places))
	for i, p := range at.priority {
		if places[i] == s.Goals[i] {
			c.priority[i] = p - P(math.Floor(float64(p)))
		} else {
			c.priority[i] = p + 1
		}
	}
	c.sort()
	return c
}

func (c *configuration[P]) sort() {
	c.order = make([]int32, len(c.places))
	for i := range c.order {
		c.order[i] = int32(i)
	}
	slices.SortStableFunc(c.order, func(a, b int32) int { return cmp.Compare(c.priority[b], c.priority[a]) })
}

// key names a configuration, and its time where that matters, until the next one is named.
func (s *Search[P]) key(places []int32, depth int) []byte {
	b := s.name[:0]
	for _, v := range places {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	if s.Timed {
		b = binary.LittleEndian.AppendUint32(b, uint32(depth))
	}
	s.name = b
	return b
}

// ways returns the places from the start to c.
func (c *configuration[P]) ways() (w [][]int32) {
	for ; c != nil; c = c.parent {
		w = append(w, c.places)
	}
	slices.Reverse(w)
	return w
}
