package route

import (
	"context"
	"math/rand/v2"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/plan/route/internal/lacam"
)

// The bytes that a search takes for a demand, and for each member of a configuration: its
// place, priority and rank, and its part of the key.
const (
	demandBytes = 6 * memory.WordBytes
	placeBytes  = 6 * memory.WordBytes
)

// search finds places of all members, move by move, from the starts of a crowd to its goals,
// within the budget and the room.
func (c *crowd) search(ctx context.Context, budget, deepest int, draw *rand.Rand) [][]int32 {
	room := &memory.Room{Left: c.room.Left}
	s := lacam.Search[float64]{
		Crowd: &generator{crowd: c}, Priority: c.priority, Deepest: deepest, Draw: draw,
		Room: room, DemandBytes: demandBytes, RobotBytes: placeBytes,
		Stop: func() bool { return c.checks > budget || ctx.Err() != nil },
	}
	for _, m := range c.members {
		s.Starts, s.Goals = append(s.Starts, int32(m.road.start())), append(s.Goals, int32(m.road.goal()))
		s.Timed = s.Timed || len(m.others) > 0
	}
	ways, _ := s.Run()
	c.room.Full = room.Full
	return ways
}

// Moves implements [lacam.Crowd].
func (c *crowd) Moves(dst []int32, member, place int32) []int32 {
	return append(dst, c.members[member].moves(place)...)
}

// Arrived implements [lacam.Crowd]: all are at their goals and can stay there.
func (c *crowd) Arrived(places []int32, depth int) bool {
	for i, m := range c.members {
		if int(places[i]) != m.road.goal() {
			return false
		}
	}
	for _, m := range c.members {
		t := traveller{road: m.road, others: m.others}
		if h := c.waypoint(depth); h < c.last && !t.stays(m.road.goal(), h, c.last) {
			return false
		}
	}
	return true
}
