package cells

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/internal/memory"
)

// together is the number of robots whose ways are searched anew at a time.
const together = 8

// Improve returns ways on which robots arrive sooner. First every robot is led anew among all
// others, those with the longest detours first; then a few at a time, one after the other:
// who is late, and those who are near to its way. Moves of the limits are states of single robots that
// are looked at. It returns the ways as they are where memory does not suffice. Source: Li et
// al., "Anytime multi-agent path finding via large neighborhood search" (2021).
func (t *Team) Improve(ctx context.Context, w Ways, l Limits) Ways {
	room := &memory.Room{Left: l.Bytes}
	if !room.Take(4 * len(w) * len(t.Robots)) {
		return w
	}
	s := t.newSchedule(w.clone(), room)
	if s == nil {
		return w
	}
	s.over = func() bool { return ctx.Err() != nil }
	away, _ := t.distances(ctx, room)
	if len(away) < len(t.Robots) {
		return w
	}
	n := &neighborhoods{schedule: s, away: away, draw: rand.New(rand.NewPCG(l.Seed, 0x6c6e73))}
	for gained := true; gained && s.looked < l.Moves && ctx.Err() == nil; {
		gained = n.oneByOne(ctx, l.Moves)
	}
	for idle := 0; s.looked < l.Moves && idle < 4*len(t.Robots) && ctx.Err() == nil; idle++ {
		if n.severalAtOnce() {
			idle = 0
		}
	}
	return s.ways.trimmed()
}

// neighborhoods are groups of robots that are led anew.
type neighborhoods struct {
	*schedule
	away [][]int32
	draw *rand.Rand
}

// late returns how many moves later than alone robot i arrives.
func (n *neighborhoods) late(i int) int {
	return n.ways.Arrival(i) - int(n.away[i][n.Robots[i].Start])
}

// oneByOne leads every robot anew that is late, and says whether that gained anything.
func (n *neighborhoods) oneByOne(ctx context.Context, most int) (gained bool) {
	order := make([]int, len(n.Robots))
	late := make([]int, len(n.Robots))
	for i := range order {
		order[i], late[i] = i, n.late(i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(late[b], late[a]) })
	for _, i := range order {
		if n.looked > most || ctx.Err() != nil {
			break
		}
		if late[i] == 0 {
			continue
		}
		n.lift(i)
		if way := n.travel(i, n.away[i], n.ways.Arrival(i)-1); way != nil {
			n.set(i, way)
			gained = true
		}
		n.put(i)
	}
	return gained
}

// severalAtOnce leads a few robots anew, and keeps that if they arrive sooner in all.
func (n *neighborhoods) severalAtOnce() (gained bool) {
	group := n.group()
	if len(group) < 2 {
		return false
	}
	before, old := 0, make([][]int32, len(group))
	for k, i := range group {
		before += n.ways.Arrival(i)
		old[k] = n.way(i)
		n.lift(i)
	}
	n.draw.Shuffle(len(group), func(a, b int) { group[a], group[b], old[a], old[b] = group[b], group[a], old[b], old[a] })
	after, placed := 0, 0
	for _, i := range group {
		way := n.travel(i, n.away[i], min(n.last, before-after-1))
		if way == nil {
			break
		}
		n.set(i, way)
		n.put(i)
		after += n.ways.Arrival(i)
		placed++
	}
	if placed == len(group) && after < before {
		return true
	}
	for _, i := range group[:placed] {
		n.lift(i)
	}
	for k, i := range group {
		n.set(i, old[k])
		n.put(i)
	}
	return false
}

// group returns a robot that is late and others that come by where it is: those who are
// within two moves of it at some time, chosen by chance.
func (n *neighborhoods) group() []int {
	first := -1
	for k := range n.Robots { // the chance of a robot grows with how late it is, by a tournament
		_ = k
		i := n.draw.IntN(len(n.Robots))
		if first < 0 || n.late(i) > n.late(first) {
			first = i
		}
		if k == 3 {
			break
		}
	}
	if n.late(first) == 0 {
		return nil
	}
	group := []int{first}
	arrival := n.ways.Arrival(first)
	f := n.Robots[first].Floor
	for tries := 0; tries < 16*together && len(group) < together; tries++ {
		t := n.draw.IntN(arrival + 1)
		v := n.ways[t][first]
		for range n.draw.IntN(5) { // a walk from there
			if d := n.draw.IntN(directions); f.Moves[v]&(1<<d) != 0 {
				v += f.step(d)
			}
		}
		if j := n.who(v, t); j != nobody && !slices.Contains(group, int(j)) {
			group = append(group, int(j))
		}
	}
	return group
}

func (w Ways) clone() Ways {
	out := make(Ways, len(w))
	for t, row := range w {
		out[t] = slices.Clone(row)
	}
	return out
}

// trimmed returns ways without the moves after which everybody has arrived.
func (w Ways) trimmed() Ways {
	n := len(w)
	for n > 1 && slices.Equal(w[n-1], w[n-2]) {
		n--
	}
	return w[:n]
}
