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
