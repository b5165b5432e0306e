package cells

import (
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/internal/memory"
)

// Robots that go both ways through a hall of two aisles, each of which is the shortest way of half of
// them, think of ways on which nobody meets anybody.
func TestWaysThatDoNotMeet(t *testing.T) {
	rows := []string{
		"...............",
		"...@@@@@@@@@...",
		"...............",
	}
	f := floorOf(rows)
	team := &Team{}
	for y := range 3 {
		for x := range 2 {
			a, b := cellAt(rows, x, y), cellAt(rows, 14-x, y)
			team.Robots = append(team.Robots, Robot{f, a, b}, Robot{f, b, a})
		}
	}
	c := &crowd{Team: team, draw: rand.New(rand.NewPCG(1, 1))}
	for _, r := range team.Robots {
		away, _ := f.distances(r.Goal, nil)
		c.away = append(c.away, away)
	}
	if c.scatter(t.Context(), &memory.Room{Left: 100}) != nil {
		t.Error("guides without memory")
	}
	guides := c.scatter(t.Context(), &memory.Room{Left: 1 << 24})
	aisle := map[int32][2]bool{} // whether its middle is passed to the east, to the west
	for i, r := range team.Robots {
		v, moves := r.Start, 0
		for v != r.Goal {
			next, ok := guides[i][v]
			if !ok || c.away[i][v] == unreachable {
				t.Fatalf("robot %d has no way on from %d", i, v)
			}
			if v%int32(f.Width) == 7 {
				m := aisle[v]
				m[0], m[1] = m[0] || next > v, m[1] || next < v
				aisle[v] = m
			}
			v, moves = next, moves+1
		}
		if most := int(c.away[i][r.Start]) + scatterDetour; moves > most {
			t.Errorf("robot %d takes %d moves, want at most %d", i, moves, most)
		}
	}
	for v, m := range aisle {
		if m[0] && m[1] {
			t.Errorf("both ways through cell %d", v)
		}
	}
}
