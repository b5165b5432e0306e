package route

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// configuration is a node of the search of [crowd.search].
type configuration struct {
	places   []int
	parent   *configuration
	depth    int // moves from the start
	priority []float64
	order    []int     // members, the highest priority first
	tree     []*demand // that are left to try; nil demands nothing
}

// demand sends a member to a place, in the next configuration, beside what it goes beyond.
type demand struct {
	before     *demand // nil is none
	who, where int32
	size       int32 // members that are sent, this one included
}

// The bytes that a search takes for a demand, and for each member of a configuration: its
// place, priority and rank, and its part of the key.
const (
	demandBytes = 6 * memory.WordBytes
	placeBytes  = 6 * memory.WordBytes
)

// sent is how many members a demand sends.
func (d *demand) sent() int {
	if d == nil {
		return 0
	}
	return int(d.size)
}

// all appends the members that are sent and their places, the first one first.
func (d *demand) all(who, where []int) ([]int, []int) {
	for at := d; at != nil; at = at.before {
		who, where = append(who, int(at.who)), append(where, int(at.where))
	}
	slices.Reverse(who)
	slices.Reverse(where)
	return who, where
}

// search finds configurations from the starts of a crowd to its goals, depth first. A
// configuration is followed by what the generator makes of it; whenever it is come back
// to, under other demands, the first of which is none and which in the end are all that
// there are. So a way is found if there is one, within the budget and the room. Source: Okumura,
// "LaCAM: search-based algorithm for quick multi-agent pathfinding" (2023), algorithm 1.
func (c *crowd) search(ctx context.Context, budget, deepest int, draw *rand.Rand) []*configuration {
	g := &generator{crowd: c}
	room := &memory.Room{Left: c.room.Left}
	defer func() { c.room.Full = room.Full }()
	first := c.first()
	open := []*configuration{first}
	known := map[string]*configuration{c.key(first.places, 0): first}
	for len(open) > 0 && c.checks <= budget && !room.Full && ctx.Err() == nil {
		at := open[len(open)-1]
		if c.arrived(at) {
			return at.chain()
		}
		if len(at.tree) == 0 || at.depth >= deepest {
			open = open[:len(open)-1]
			continue
		}
		d := at.tree[0]
		at.tree = at.tree[1:]
		c.demandMore(at, d, draw, room)
		g.who, g.where = d.all(g.who[:0], g.where[:0])
		places := g.generate(at.places, at.order, g.who, g.where, c.waypoint(at.depth))
		if places == nil {
			continue
		}
		key := c.key(places, at.depth+1)
		next := known[key]
		if next == nil && !room.Take(placeBytes*len(places)) {
			break
		}
		if next == nil {
			next = c.after(at, places)
			known[key] = next
		} else if at.depth+1 < next.depth {
			next.parent, next.depth = at, at.depth+1
		}
		open = append(open, next)
	}
	return nil
}

// first returns the configuration of the starts.
func (c *crowd) first() *configuration {
	s := &configuration{tree: []*demand{nil}, priority: c.priority}
	for _, m := range c.members {
		s.places = append(s.places, m.road.start())
	}
	s.sort()
	return s
}

// farthestFirst gives priority to those who have farther to go.
func (c *crowd) farthestFirst() {
	longest := 1.0
	for _, m := range c.members {
		longest = max(longest, m.road.distances()[m.road.start()])
	}
	for _, m := range c.members {
		c.priority = append(c.priority, m.road.distances()[m.road.start()]/(2*longest))
	}
}

// after returns a configuration that follows another one: who has not arrived gains
// priority.
func (c *crowd) after(at *configuration, places []int) *configuration {
	s := &configuration{places: places, parent: at, depth: at.depth + 1, tree: []*demand{nil}}
	for i, p := range at.priority {
		if places[i] == c.members[i].road.goal() {
			p -= math.Floor(p)
		} else {
			p++
		}
		s.priority = append(s.priority, p)
	}
	s.sort()
	return s
}

func (s *configuration) sort() {
	s.order = make([]int, len(s.places))
	for i := range s.order {
		s.order[i] = i
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(s.priority[b], s.priority[a]) })
}

// demandMore adds the demands that go beyond d by one member, if there is room.
func (c *crowd) demandMore(at *configuration, d *demand, draw *rand.Rand, room *memory.Room) {
	if d.sent() == len(c.members) {
		return
	}
	i := at.order[d.sent()]
	moves := slices.Clone(c.members[i].moves(at.places[i]))
	if !room.Take(demandBytes * len(moves)) {
		return
	}
	draw.Shuffle(len(moves), func(a, b int) { moves[a], moves[b] = moves[b], moves[a] })
	for _, place := range moves {
		at.tree = append(at.tree, &demand{d, int32(i), place, int32(d.sent() + 1)})
	}
}

// arrived reports whether everybody is at the goal and can stay there.
func (c *crowd) arrived(s *configuration) bool {
	for i, m := range c.members {
		if s.places[i] != m.road.goal() {
			return false
		}
	}
	for _, m := range c.members {
		t := traveller{road: m.road, others: m.others}
		if h := c.waypoint(s.depth); h < c.last && !t.stays(m.road.goal(), h, c.last) {
			return false
		}
	}
	return true
}

// key names a configuration, and its time where others move.
func (c *crowd) key(places []int, depth int) string {
	var b []byte
	for _, p := range places {
		b = binary.LittleEndian.AppendUint32(b, uint32(p))
	}
	for _, m := range c.members {
		if len(m.others) > 0 {
			return string(binary.LittleEndian.AppendUint32(b, uint32(depth)))
		}
	}
	return string(b)
}

// chain returns the configurations from the start to s.
func (s *configuration) chain() []*configuration {
	var out []*configuration
	for ; s != nil; s = s.parent {
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}
