package cells

import (
	"context"
	"math/rand/v2"
	"testing"
)

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
