package turns

import (
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// cars returns a team on an empty floor, two units wide, that steers: the ends of each.
func cars(t *testing.T, waypoints int, ends ...[2]geom.Vec2) Team {
	t.Helper()
	m, err := nav2d.MapByName("empty")
	if err != nil {
		t.Fatal(err)
	}
	team := Team{Map: m, Frame: nav2d.Frame{Scale: 1}, Step: 0.2, Waypoints: waypoints, Lines: NewLines()}
	for _, e := range ends {
		team.Robots = append(team.Robots, Robot{
			Start: e[0], Goal: e[1], Radius: 0.05, Size: 0.05, Speed: 0.5, Acceleration: 1, TurningRadius: 0.1, Turns: true, Rests: true,
		})
	}
	return team
}

// nearest returns the smallest distance of two robots that go straight from point to point.
func nearest(a, b []geom.Vec2) float64 {
	least := math.Inf(1)
	for h := 1; h < len(a); h++ {
		for u := 0.0; u <= 1; u += 1.0 / 16 {
			least = min(least, a[h-1].Lerp(a[h], u).Dist(b[h-1].Lerp(b[h], u)))
		}
	}
	return least
}

// moving returns from which waypoint on a robot is away from its start.
func moving(way []geom.Vec2) int {
	return slices.IndexFunc(way, func(p geom.Vec2) bool { return p != way[0] })
}

// Robots whose ways cross take turns: both arrive, the first in the order at once, and nobody touches anybody.
func TestRobotsTakeTurns(t *testing.T) {
	west, east, south, north := geom.Vec2{X: -0.8}, geom.Vec2{X: 0.8}, geom.Vec2{Y: -0.8}, geom.Vec2{Y: 0.8}
	team := cars(t, 64, [2]geom.Vec2{west, east}, [2]geom.Vec2{south, north})
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		ways, went := team.InTurn(order, 1.25, OnArcs)
		if !slices.Equal(went, order) {
			t.Fatalf("they went as %v, want %v", went, order)
		}
		for i, way := range ways {
			r := team.Robots[i]
			if len(way) != team.Waypoints || way[0].Dist(r.Start) > 1e-12 || way[len(way)-1].Dist(r.Goal) > 1e-9 {
				t.Fatalf("robot %d goes %v, want %d waypoints from %v to %v", i, way, team.Waypoints, r.Start, r.Goal)
			}
			for h := 1; h < len(way); h++ {
				if step := way[h].Dist(way[h-1]); step > r.Speed*team.Step*(1+1e-9) {
					t.Errorf("robot %d goes %v in a step, want at most %v", i, step, r.Speed*team.Step)
				}
			}
		}
		if d := nearest(ways[0], ways[1]); d < 0.1 {
			t.Errorf("in the order %v they come as near as %v to each other", order, d)
		}
		if first, second := moving(ways[order[0]]), moving(ways[order[1]]); first != 1 || second <= first {
			t.Errorf("in the order %v they leave at waypoints %d and %d", order, first, second)
		}
	}
	team.Waypoints, team.Lines = 8, NewLines()
	if ways, _ := team.InTurn([]int{0, 1}, 1.25, OnArcs); ways != nil {
		t.Errorf("there is no time, and they go %v", ways)
	}
}

// One that stays has no turn, and the others go round it.
func TestWhoStaysHasNoTurn(t *testing.T) {
	team := cars(t, 64, [2]geom.Vec2{{X: -0.8}, {X: 0.8}}, [2]geom.Vec2{})
	team.Robots[1].Stays = true
	ways, went := team.InTurn([]int{0, 1}, 1.25, OnArcs)
	if !slices.Equal(went, []int{0}) || ways[1] != nil {
		t.Fatalf("%v went, and who stays goes %v", went, ways[1])
	}
	for _, p := range ways[0] {
		if p.Norm() < 0.1-1e-9 {
			t.Errorf("it goes through who stays, at %v", p)
		}
	}
}

// Whoever stands on the way of another goes first, and whoever ends there goes last.
func TestOrderOfTurns(t *testing.T) {
	across := [2]geom.Vec2{{X: -0.8}, {X: 0.8}}
	for name, c := range map[string]struct {
		other [2]geom.Vec2
		want  []int
	}{
		"it stands in the way": {[2]geom.Vec2{{X: 0.1}, {X: 0.1, Y: 0.6}}, []int{1, 0}},
		"it ends in the way":   {[2]geom.Vec2{{X: 0.1, Y: 0.6}, {X: 0.1}}, []int{0, 1}},
		"it is beside the way": {[2]geom.Vec2{{X: 0.1, Y: 0.4}, {X: 0.1, Y: 0.8}}, []int{0, 1}},
	} {
		if got := cars(t, 64, across, c.other).Order(1.25); !slices.Equal(got, c.want) {
			t.Errorf("%s: the order is %v, want %v", name, got, c.want)
		}
		turned := []int{1 - c.want[0], 1 - c.want[1]}
		if got := cars(t, 64, c.other, across).Order(1.25); name != "it is beside the way" && !slices.Equal(got, turned) {
			t.Errorf("%s, counted the other way round: the order is %v, want %v", name, got, turned)
		}
	}
}

// A way of arcs takes the whole time, from its start to its goal along the headings that are given, and bends no more tightly than
// the robot steers.
func TestWaysOfArcs(t *testing.T) {
	north, west := math.Pi/2, math.Pi
	team := cars(t, 64, [2]geom.Vec2{{X: -0.6, Y: -0.5}, {X: 0.5, Y: 0.4}})
	team.Robots[0].Headings = [2]*float64{&north, &west}
	way := team.Arcs(0, 1.25)
	if len(way) != 64 || way[0].Dist(team.Robots[0].Start) > 1e-12 || way[63].Dist(team.Robots[0].Goal) > 1e-9 {
		t.Fatalf("the way is %v", way)
	}
	if h := headingOf(way[1].Sub(way[0])); math.Abs(h-north) > 0.05 {
		t.Errorf("it leaves to %v, want north", h)
	}
	if h := headingOf(way[63].Sub(way[62])); math.Abs(math.Remainder(h-west, 2*math.Pi)) > 0.05 {
		t.Errorf("it comes to %v, want west", h)
	}
	if team.Stuck() {
		t.Error("there is a way, and it is said to be stuck")
	}
	team.Waypoints = 6
	if way := team.Arcs(0, 1.25); way != nil {
		t.Errorf("there is no time, and it goes %v", way)
	}
}

// A differential drive stands at its ends for as long as it takes to turn there, and drives between.
func TestDrivesTurnWhereTheyStand(t *testing.T) {
	north, south := math.Pi/2, -math.Pi/2
	team := cars(t, 100, [2]geom.Vec2{{X: -0.6}, {X: 0.6}})
	r := &team.Robots[0]
	r.TurningRadius, r.TurnRate, r.OnSpot, r.Headings = 0, 1, true, [2]*float64{&north, &south}
	turn := (math.Pi/2 + Reserve) / r.TurnRate // seconds
	for name, way := range map[string][]geom.Vec2{
		"in its turn": team.Turn(0, nil, 1.25, OnSpots), "for the whole time": team.AtEnds(0, []geom.Vec2{r.Start, r.Goal}),
	} {
		if len(way) == 0 || way[0] != r.Start || way[len(way)-1].Dist(r.Goal) > 1e-9 {
			t.Fatalf("%s: it goes %v", name, way)
		}
		stands := float64(moving(way)-1) * team.Step
		back := slices.Clone(way)
		slices.Reverse(back)
		comes := float64(moving(back)-1) * team.Step
		if stands < turn || stands > turn+2*team.Step || comes < turn || comes > turn+2*team.Step {
			t.Errorf("%s: it stands for %v s at the start and %v s at the goal, want %v", name, stands, comes, turn)
		}
	}
	if way := team.AtEnds(0, []geom.Vec2{r.Start, r.Goal}); len(way) != team.Waypoints {
		t.Errorf("%d waypoints, want %d", len(way), team.Waypoints)
	}
	if team.Waypoints = 2*int(turn/team.Step) + 4; team.AtEnds(0, []geom.Vec2{r.Start, r.Goal}) != nil {
		t.Error("there is only time to turn, and it drives")
	}
}
