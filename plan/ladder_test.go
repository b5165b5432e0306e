package plan

import (
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
		if d := path[h].Dist(path[h-1]); d > team.disk(r).Step*(1+1e-9) {
			t.Errorf("%s takes a step of %v to waypoint %d, want at most %v", r.Name, d, h, team.disk(r).Step)
		}
		for _, o := range team.Map.Obstacles {
			c, ok := geom.ConvexOf(o)
			if !ok {
				t.Fatalf("%v is not convex", o)
			}
			if gap, _ := c.SegmentGap(geom.Segment{A: path[h-1], B: path[h]}, r.Radius); gap < -1e-3 {
				t.Fatalf("%s overlaps an obstacle by %v before waypoint %d", r.Name, -gap, h)
			}
		}
	}
}
