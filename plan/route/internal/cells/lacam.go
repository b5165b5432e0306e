package cells

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// configuration is a node of [Team.Search].
type configuration struct {
	cells    []int32
	parent   *configuration
	depth    int // moves from the start
	priority []float32
	order    []int32   // robots, the highest priority first
	tree     []*demand // that are left to try; nil demands nothing
}

// demand sends a robot to a cell, beside what it goes beyond.
type demand struct {
	before *demand
	who    int32
	where  int32
	size   int32
}

// The bytes that a search takes for a demand, and for each robot of a configuration: its
// cell, priority and rank, and its part of the key.
const (
	demandBytes = 4 * memory.WordBytes
	robotBytes  = 4 * memory.WordBytes
)

// A run is given a part of all moves, or a few of these parts; and instead of a configuration
// that was seen before it now and then looks at the first one again.
const (
	shortRuns    = 128
	fromTheStart = 0.001
	mostShort    = 8 // runs that end for want of memory
)

// Limits bound a search.
type Limits struct {
	Moves int   // of single robots that are decided; 0 is none
	Bytes int64 // that it takes
	Seed  uint64
}

// Search returns ways of all robots from their starts to their goals; nil where there are
// none, where the limits do not suffice, which full says of the bytes, or when the context
// ends. Depth first over configurations, each of which is followed by what the generator makes of
// it; when it is come back to, robots are sent to cells, one more each time, and in the end in all
// ways that there are. Source: Okumura, "LaCAM: search-based algorithm for quick
// multi-agent pathfinding" (2023), algorithm 1.
func (t *Team) Search(ctx context.Context, l Limits) (w Ways, full bool) {
	room := &memory.Room{Left: l.Bytes}
	c := &crowd{Team: t, draw: rand.New(rand.NewPCG(l.Seed, 0x63656c6c73))}
	for _, r := range t.Robots {
		if !room.Take(4 * len(r.Floor.Moves)) {
			return nil, true
		}
		away := r.Floor.distances(r.Goal)
		if away[r.Start] == unreachable {
			return nil, false
		}
		c.away = append(c.away, away)
	}
	g := newGenerator(c)
	left := *room
	// Where robots jam it is a matter of chance whether a search ends soon or never: it begins
	// anew, again and again, with more moves now and then (Luby et al. 1993).
	short := 0 // runs that were, of memory
	for run := 1; g.moves < l.Moves && short < mostShort; run++ {
		most := l.Moves / shortRuns * (run & -run)
		again := left
		found, exhausted := c.descend(ctx, g, min(g.moves+most, l.Moves), &again)
		if again.Full {
			full, short = true, short+1
		}
		if found != nil || exhausted || ctx.Err() != nil {
			return found, full
		}
	}
	return nil, full
}

// descend is one search of at most so many moves. It says whether it has seen everything.
func (c *crowd) descend(ctx context.Context, g *generator, most int, room *memory.Room) (w Ways, exhausted bool) {
	first := c.first()
	open := []*configuration{first}
	known := map[string]*configuration{key(first.cells): first}
	var who, where []int32
	for len(open) > 0 {
		if g.moves > most || room.Full || ctx.Err() != nil {
			return nil, false
		}
		at := open[len(open)-1]
		if c.arrived(at) {
			return at.ways(), true
		}
		if len(at.tree) == 0 {
			open = open[:len(open)-1]
			continue
		}
		d := at.tree[0]
		at.tree = at.tree[1:]
		c.demandMore(at, d, room)
		who, where = d.all(who[:0], where[:0])
		cells := g.generate(at.cells, at.order, who, where)
		if cells == nil {
			g.moves += len(at.cells) / 4
			continue
		}
		name := key(cells)
		if next := known[name]; next != nil {
			if at.depth+1 < next.depth {
				next.parent, next.depth = at, at.depth+1
			}
			if c.draw.Float64() < fromTheStart {
				next = first
			}
			open = append(open, next)
			continue
		}
		if !room.Take(robotBytes * len(cells)) {
			return nil, false
		}
		next := c.after(at, cells)
		known[name] = next
		open = append(open, next)
	}
	return nil, true
}

// first returns the configuration of the starts: who has farther to go goes first.
func (c *crowd) first() *configuration {
	s := &configuration{tree: []*demand{nil}}
	longest := float32(1)
	for i, r := range c.Robots {
		longest = max(longest, float32(c.away[i][r.Start]))
	}
	for i, r := range c.Robots {
		s.cells = append(s.cells, r.Start)
		s.priority = append(s.priority, float32(c.away[i][r.Start])/(2*longest))
	}
	s.sort()
	return s
}

// after returns a configuration that follows another one: who has not arrived gains priority.
func (c *crowd) after(at *configuration, cells []int32) *configuration {
	s := &configuration{cells: cells, parent: at, depth: at.depth + 1, tree: []*demand{nil}}
	s.priority = make([]float32, len(cells))
	for i, p := range at.priority {
		if cells[i] == c.Robots[i].Goal {
			s.priority[i] = p - float32(math.Floor(float64(p)))
		} else {
			s.priority[i] = p + 1
		}
	}
	s.sort()
	return s
}

func (s *configuration) sort() {
	s.order = make([]int32, len(s.cells))
	for i := range s.order {
		s.order[i] = int32(i)
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(s.priority[b], s.priority[a]) })
}

func (c *crowd) arrived(s *configuration) bool {
	for i, r := range c.Robots {
		if s.cells[i] != r.Goal {
			return false
		}
	}
	return true
}

// demandMore adds the demands that go beyond d by one robot, if there is room.
func (c *crowd) demandMore(at *configuration, d *demand, room *memory.Room) {
	if d.sent() == len(c.Robots) {
		return
	}
	i := at.order[d.sent()]
	var few [directions + 1]int32
	moves := append(c.Robots[i].Floor.beside(few[:0], at.cells[i]), at.cells[i])
	if !room.Take(demandBytes * len(moves)) {
		return
	}
	c.draw.Shuffle(len(moves), func(a, b int) { moves[a], moves[b] = moves[b], moves[a] })
	for _, cell := range moves {
		at.tree = append(at.tree, &demand{d, i, cell, int32(d.sent() + 1)})
	}
}

// sent is how many robots a demand sends.
func (d *demand) sent() int {
	if d == nil {
		return 0
	}
	return int(d.size)
}

// all appends the robots that are sent and their cells, the first one first.
func (d *demand) all(who, where []int32) ([]int32, []int32) {
	for at := d; at != nil; at = at.before {
		who, where = append(who, at.who), append(where, at.where)
	}
	slices.Reverse(who)
	slices.Reverse(where)
	return who, where
}

func key(cells []int32) string {
	b := make([]byte, 0, 4*len(cells))
	for _, v := range cells {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

// ways returns the cells from the start to s.
func (s *configuration) ways() (w Ways) {
	for ; s != nil; s = s.parent {
		w = append(w, s.cells)
	}
	slices.Reverse(w)
	return w
}
