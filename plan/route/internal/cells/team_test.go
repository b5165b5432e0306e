package cells

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/memory"
)

// The search for one way ends with the time, wherever it is.
func TestTravelEndsWithTheTime(t *testing.T) {
	f, _ := hall(rand.New(rand.NewPCG(2, 2)), 120, 0)
	goal := int32(len(f.Moves) - 1)
	team := &Team{Robots: []Robot{{Floor: f, Goal: goal}, {Floor: f, Start: goal - 1, Goal: goal - 1}}}
	ways := slices.Repeat(Ways{{0, goal - 1}}, 400)
	for h := range ways {
		ways[h] = slices.Clone(ways[h])
	}
	ways[len(ways)-1][0] = goal // by a jump: its way is what is searched for
	s := team.newSchedule(ways, &memory.Room{Left: 1 << 30})
	asked := 0
	s.over = func() bool { asked++; return asked == 2 }
	s.lift(0)
	s.at[len(ways)-2].enter(goal, 1) // somebody comes through the goal late: most states are looked at before that
	away, _ := f.distances(goal, nil)
	if way := s.travel(0, away, len(ways)-1); way != nil || asked != 2 || s.looked != 2*untilAsked {
		t.Errorf("a way of %d moves after %d states, asked %d times; want none after %d", len(way), s.looked, asked, 2*untilAsked)
	}
}

// The moves to all goals, most of what a large map takes, are counted once for search and improvement, and by nobody
// whose time is over.
func TestDistancesAreShared(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	f, places := hall(draw, 12, 0.1)
	team := crowdIn(draw, f, places, 20)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if w, full := team.Search(over, enough); w != nil || full || len(team.known) > 0 {
		t.Errorf("%d moves, full %v, %d tables after the end of the time", len(w), full, len(team.known))
	}
	w, _ := team.Search(t.Context(), enough)
	if len(team.known) != len(team.Robots) {
		t.Fatalf("%d tables for %d robots", len(team.known), len(team.Robots))
	}
	before := make([]*int32, len(team.known))
	for i, away := range team.known {
		before[i] = &away[0]
	}
	team.Improve(t.Context(), w, enough)
	for i, away := range team.known {
		if before[i] != &away[0] {
			t.Fatalf("the table of robot %d was made again", i)
		}
	}
	alone := Team{Robots: team.Robots, Tight: team.Tight}
	a, _ := alone.Search(t.Context(), enough)
	for h := range w {
		for i := range w[h] {
			if a[h][i] != w[h][i] {
				t.Fatalf("robot %d is in cells %d and %d after move %d", i, a[h][i], w[h][i], h)
			}
		}
	}
}
