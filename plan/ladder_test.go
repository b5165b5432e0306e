package plan

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

func at(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }

// walled returns a team with straight paths on a map with boxes.
func walled(t *testing.T, limit, radius float64, boxes []geom.Box, ends ...[2]geom.Vec2) (Team, [][]geom.Vec2) {
	t.Helper()
	model, err := Bundled("empty")
	if err != nil {
		t.Fatal(err)
	}
	return walledWith(model, limit, radius, boxes, ends)
}

// walledWith is walled with a model that is open.
func walledWith(model *Model, limit, radius float64, boxes []geom.Box, ends [][2]geom.Vec2) (Team, [][]geom.Vec2) {
	var solids geom.Union
	for _, b := range boxes {
		solids = append(solids, b)
	}
	m := nav2d.NewMap("walls", geom.Box{Min: at(-1, -1), Max: at(1, 1)}, solids, nil)
	team := Team{Map: m, Step: nav2d.Step}
	var paths [][]geom.Vec2
	for i, e := range ends {
		team.Robots = append(team.Robots, Robot{Name: string(rune('a' + i)), Model: model, Start: e[0], Goal: e[1], Radius: radius, Limit: limit})
		path := make([]geom.Vec2, 64)
		for h := range path {
			path[h] = e[0].Lerp(e[1], float64(h)/63)
		}
		path[63] = e[1]
		paths = append(paths, path)
	}
	return team, paths
}

// checkPath checks ends, speed and clearance of a path in continuous time.
func checkPath(t *testing.T, team Team, i int, path []geom.Vec2) {
	t.Helper()
	r := team.Robots[i]
	if path[0] != r.Start || path[len(path)-1] != r.Goal {
		t.Errorf("%s goes from %v to %v", r.Name, path[0], path[len(path)-1])
	}
	for h := 1; h < len(path); h++ {
		if d := path[h].Dist(path[h-1]); d > team.longestStep(r)*(1+1e-9) {
			t.Errorf("%s takes a step of %v to waypoint %d, want at most %v", r.Name, d, h, team.longestStep(r))
		}
		for _, o := range team.Map.Obstacles {
			c, err := convexOf(o)
			if err != nil {
				t.Fatal(err)
			}
			if gap, _ := c.SegmentGap(geom.Segment{A: path[h-1], B: path[h]}, r.Radius); gap < -1e-3 {
				t.Fatalf("%s overlaps an obstacle by %v before waypoint %d", r.Name, -gap, h)
			}
		}
	}
}

func TestRerouteLeadsRoundAWall(t *testing.T) {
	wall := geom.Box{Min: at(-0.05, -0.6), Max: at(0.05, 0.5)}
	team, paths := walled(t, 0.8, 0.05, []geom.Box{wall}, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)})
	if !team.reroute(team.Robots[0], paths[0]) {
		t.Fatal("nothing was rerouted")
	}
	checkPath(t, team, 0, paths[0])
	// Over the upper end of the wall: twice √(0.55² + 0.55²) and a little.
	if l := length(paths[0]); l < 1.55 || l > 1.75 {
		t.Errorf("the way is %v long", l)
	}
	if team.reroute(team.Robots[0], paths[0]) {
		t.Error("a free path is rerouted again")
	}
	closed := geom.Box{Min: at(-0.05, -1.1), Max: at(0.05, 1.1)}
	team, paths = walled(t, 0.8, 0.05, []geom.Box{closed}, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)})
	if team.reroute(team.Robots[0], paths[0]) {
		t.Error("rerouted through a closed wall")
	}
}

// Two that meet at a crossing pass one after the other.
func TestShiftInTime(t *testing.T) {
	team, paths := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0, -0.8), at(0, 0.8)})
	who := []int{0, 1}
	if team.overlapOf(paths, who) == 0 {
		t.Fatal("the paths do not meet")
	}
	shifted := team.shift(paths, who, 1)
	if shifted == nil {
		t.Fatal("nothing was shifted")
	}
	if o := team.overlapOf(shifted, who); o != 0 {
		t.Errorf("they still overlap by %v", o)
	}
	for i := range shifted {
		checkPath(t, team, i, shifted[i])
		for h, p := range shifted[i] {
			if off := (geom.Segment{A: paths[i][0], B: paths[i][63]}).Distance(p); off > 1e-12 {
				t.Fatalf("waypoint %d of robot %d is %v off its way", h, i, off)
			}
		}
	}
	if team.shift(shifted, who, 1) != nil {
		t.Error("paths that do not meet are shifted")
	}
}

// Each starts on the other's goal, in a corridor with one bay: somebody has to step
// into it, which no small change of a path finds.
func TestStepAsideInACorridor(t *testing.T) {
	boxes := []geom.Box{
		{Min: at(-1, -1), Max: at(1, -0.08)},
		{Min: at(-1, 0.08), Max: at(0.3, 1)}, {Min: at(0.5, 0.08), Max: at(1, 1)}, {Min: at(0.3, 0.3), Max: at(0.5, 1)},
	}
	team, paths := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	found := team.stepAside(t.Context(), paths, []int{0, 1}, plenty)
	if found == nil {
		t.Fatal("no way past each other")
	}
	aside := 0.0
	for i, path := range found {
		checkPath(t, team, i, path)
		for _, p := range path {
			aside = max(aside, p.Y)
		}
	}
	for h := 1; h < 64; h++ {
		if gap, _ := geom.RelativeGap(found[0][h-1].Sub(found[1][h-1]), found[0][h].Sub(found[1][h]), 0.1); gap < 0 {
			t.Fatalf("they overlap by %v before waypoint %d", -gap, h)
		}
	}
	if aside < 0.1 {
		t.Errorf("nobody steps aside by more than %v", aside)
	}
	closed := append([]geom.Box{{Min: at(0.3, 0.08), Max: at(0.5, 1)}}, boxes...)
	team, paths = walled(t, 1.4, 0.05, closed, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	if team.stepAside(t.Context(), paths, []int{0, 1}, plenty) != nil {
		t.Error("they pass each other where there is no bay")
	}
}

// A traveller waits for traffic to pass rather than go round when that is shorter.
func TestTravelWaits(t *testing.T) {
	team, paths := walled(t, 1.2, 0.05, nil, [2]geom.Vec2{at(0, -0.5), at(0, 0.5)})
	mover := Mover{Name: "tram", Radius: 0.3}
	for h := range 64 {
		mover.Path = append(mover.Path, at(math.Max(-0.9, 1.2-float64(h)*0.05), 0))
	}
	team.Traffic = []Mover{mover}
	per := team.waypointsOfMove(0, 1)
	path := team.travel(paths, []bool{false}, 0, team.roadmapOf(paths[0], 0, 1, per), per, 0)
	if path == nil {
		t.Fatal("no way")
	}
	checkPath(t, team, 0, path)
	if o := overlap(path, mover.Path, 0.35); o != 0 {
		t.Errorf("it overlaps with traffic by %v", o)
	}
	if l := length(path); l > 1.1 {
		t.Errorf("the way is %v long, want it to wait", l)
	}
}
