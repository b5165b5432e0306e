package cells

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// A search that looks one move ahead jams where everybody takes the shortest way. So before
// it begins each robot looks for a way that is hardly longer and meets few others, and prefers the
// moves on it. Source: Okumura, "Engineering LaCAM*: towards real-time, large-scale, and
// near-optimal multi-agent pathfinding" (2024), section 3.2, space utilisation.

const (
	scatterDetour = 10 // moves that a way may be longer than the shortest
	scatterRounds = 10 // times that everybody looks for a way, as long as that helps
	// The bytes that a cell of a way takes: as itself, in the tables of who is where, and as a
	// hint.
	scatterBytes = 16 * memory.WordBytes
)

// guide says where a robot goes next from the cells of its way.
type guide map[int32]int32

// passage is a move at a time, counted in moves; one that stays is where somebody is.
type passage struct{ from, to, time int32 }

// traffic says who passes where, if nobody waits.
type traffic struct {
	*crowd
	ways   [][]int32
	passed map[passage]int32
	ended  map[int32]int32 // when a cell has somebody in it for good
	from   []int32         // of the search of one way: the cell before
	seen   []int32         // by which search
	stamp  int32
}

// scatter returns the guides of all robots; nil where memory does not suffice or the context ends.
func (c *crowd) scatter(ctx context.Context, room *memory.Room) []guide {
	places, moves := len(c.Robots[0].Floor.Moves), 0
	for i, r := range c.Robots {
		moves += int(c.away[i][r.Start]) + scatterDetour
	}
	if !room.Take(8*places + scatterBytes*moves) {
		return nil
	}
	t := &traffic{
		crowd: c, ways: make([][]int32, len(c.Robots)), passed: map[passage]int32{}, ended: map[int32]int32{},
		from: make([]int32, places), seen: make([]int32, places),
	}
	for met, round := -1, 0; round < scatterRounds; round++ {
		now := 0
		for _, i := range c.draw.Perm(len(c.Robots)) {
			if ctx.Err() != nil {
				return nil
			}
			t.enter(i, -1)
			way, meets := t.quiet(i)
			t.ways[i], now = way, now+meets
			t.enter(i, 1)
		}
		if now == 0 || met >= 0 && now >= met {
			break
		}
		met = now
	}
	out := make([]guide, len(t.ways))
	for i, way := range t.ways {
		out[i] = make(guide, len(way))
		for k, v := range way[1:] {
			out[i][way[k]] = v
		}
	}
	return out
}

// enter adds the way of robot i, or takes it away.
func (t *traffic) enter(i int, by int32) {
	way := t.ways[i]
	for k, v := range way {
		t.passed[passage{v, v, int32(k)}] += by
		if k > 0 {
			t.passed[passage{way[k-1], v, int32(k)}] += by
		}
	}
	switch n := len(way); {
	case n > 0 && by > 0:
		t.ended[way[n-1]] = int32(n - 1)
	case n > 0:
		delete(t.ended, way[n-1])
	}
}

// met returns how many robots one meets that makes a move, which ends at a time.
func (t *traffic) met(from, to, time int32) int32 {
	n := t.passed[passage{to, to, time}] + t.passed[passage{to, from, time}]
	if end, ok := t.ended[to]; ok && time > end {
		n++
	}
	return n
}

// approach is a way to a cell.
type approach struct {
	cell, from   int32
	moves, least int32 // so far, and with what is left
	met          int32
}

// approaches are those of one robot, who meets fewest others first.
type approaches []approach

func (q approaches) Len() int      { return len(q) }
func (q approaches) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *approaches) Push(x any)   { *q = append(*q, x.(approach)) }

func (q approaches) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(q[a].met, q[b].met), cmp.Compare(q[a].least, q[b].least), cmp.Compare(q[a].cell, q[b].cell)) < 0
}

func (q *approaches) Pop() any {
	n := len(*q) - 1
	x := (*q)[n]
	*q = (*q)[:n]
	return x
}

// quiet returns a way of robot i that is not much longer than its shortest one and on which it meets few
// others, and how many. It looks at each cell once, so that it is not always the best.
func (t *traffic) quiet(i int) (way []int32, met int) {
	r, away := t.Robots[i], t.away[i]
	most := away[r.Start] + scatterDetour
	t.stamp++
	var few [directions]int32
	for q := (approaches{{cell: r.Start, from: nobody, least: away[r.Start]}}); len(q) > 0; {
		at := heap.Pop(&q).(approach)
		if t.seen[at.cell] == t.stamp {
			continue
		}
		t.seen[at.cell], t.from[at.cell] = t.stamp, at.from
		if at.cell == r.Goal {
			met = int(at.met)
			break
		}
		moves := at.moves + 1
		for _, u := range r.Floor.beside(few[:0], at.cell) {
			if least := moves + away[u]; least <= most && t.seen[u] != t.stamp {
				heap.Push(&q, approach{u, at.cell, moves, least, at.met + t.met(at.cell, u, moves)})
			}
		}
	}
	if t.seen[r.Goal] != t.stamp {
		return t.shortest(i), met
	}
	for v := r.Goal; v != nobody; v = t.from[v] {
		way = append(way, v)
	}
	slices.Reverse(way)
	return way, met
}

// shortest returns a shortest way of robot i.
func (t *traffic) shortest(i int) []int32 {
	r := t.Robots[i]
	way := []int32{r.Start}
	var few [directions]int32
	for v := r.Start; v != r.Goal; {
		for _, u := range r.Floor.beside(few[:0], v) {
			if t.away[i][u] < t.away[i][v] {
				v = u
				break
			}
		}
		way = append(way, v)
	}
	return way
}
