package cells

import (
	"context"
	"math/rand/v2"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/plan/route/internal/lacam"
)

// The bytes that a search takes for a demand, and for each robot of a configuration: its
// cell, priority and rank, and its part of the key.
const (
	demandBytes = 4 * memory.WordBytes
	robotBytes  = 4 * memory.WordBytes
)

// A run may decide a part of all moves, or a few of these parts; and where a known
// configuration is proposed again, it now and then goes on from the start instead.
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
// ends.
func (t *Team) Search(ctx context.Context, l Limits) (w Ways, full bool) {
	room := &memory.Room{Left: l.Bytes}
	c := &crowd{Team: t, draw: rand.New(rand.NewPCG(l.Seed, 0x63656c6c73))}
	if c.away, full = t.distances(ctx, room); len(c.away) < len(t.Robots) {
		return nil, full
	}
	g := newGenerator(c)
	spare := *room
	hint := c.scatter(ctx, &spare)
	if hint != nil { // where there is no room for them, robots go without
		*room = spare
	}
	left, s := *room, c.search(ctx, g)
	// Where robots jam it is a matter of chance whether a search ends soon or never: it begins
	// anew, again and again, with more moves now and then (Luby et al. 1993).
	short := 0 // runs that were, of memory
	for run := 1; g.moves < l.Moves && short < mostShort; run++ {
		most := l.Moves / shortRuns * (run & -run)
		again := left
		c.hint = hint
		if run%2 == 0 {
			c.hint = nil // in a maze there is one way only, and chance does better
		}
		s.Room, g.most = &again, min(g.moves+most, l.Moves)
		found, exhausted := s.Run()
		if again.Full {
			full, short = true, short+1
		}
		if found != nil || exhausted || ctx.Err() != nil {
			return found, full
		}
	}
	return nil, full
}

// search returns the search of all runs, without the limits of each.
func (c *crowd) search(ctx context.Context, g *generator) *lacam.Search[float32] {
	s := &lacam.Search[float32]{
		Crowd: g, Draw: c.draw, DemandBytes: demandBytes, RobotBytes: robotBytes,
		Stop:    func() bool { return g.moves > g.most || ctx.Err() != nil },
		Restart: func() bool { return c.draw.Float64() < fromTheStart },
	}
	longest := float32(1)
	for i, r := range c.Robots {
		longest = max(longest, float32(c.away[i][r.Start]))
	}
	for i, r := range c.Robots {
		s.Starts, s.Goals = append(s.Starts, r.Start), append(s.Goals, r.Goal)
		s.Priority = append(s.Priority, float32(c.away[i][r.Start])/(2*longest))
	}
	return s
}

// Moves implements [lacam.Crowd].
func (c *crowd) Moves(dst []int32, robot, cell int32) []int32 {
	return append(c.Robots[robot].Floor.beside(dst, cell), cell)
}

// Arrived implements [lacam.Crowd].
func (c *crowd) Arrived(cells []int32, _ int) bool {
	for i, r := range c.Robots {
		if cells[i] != r.Goal {
			return false
		}
	}
	return true
}
