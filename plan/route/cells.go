package route

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/route/internal/cells"
)

// Numbers of the search on cells.
const (
	cellMoves  = 4e7 // moves of single robots that it decides at most
	cellStates = 2e4 // that are looked at to make ways shorter, for each robot
)

// CellWays is what the search on cells found.
type CellWays struct {
	Paths [][]geom.Vec2 // of all robots; nil if there are none
	// Waypoints is how many of them the ways need that were found; more than there are if
	// Paths is nil for that reason. 0 is none found.
	Waypoints int
	// Reason says in words why there are no paths.
	Reason string
	// Full says that the search would have taken more bytes than it may.
	Full bool
}

// MoveOverCells searches ways for all robots on the cells of the map: everybody moves from the
// middle of a cell to the next one, at the same time as all others. Robots that start or end
// elsewhere first go to a cell, and from one at the end. Where the map has no cells, or smaller ones than robots, it
// takes a lattice of its own. Ways have the ends and as many waypoints as paths.
//
// The radii of two robots and the margin have to fit into a cell; those that do not fit into 1/√2 of
// it do not follow each other round corners. The search is [cells.Team.Search].
func (t Task) MoveOverCells(ctx context.Context, paths [][]geom.Vec2, seed uint64, bytes int64) CellWays {
	if len(t.Traffic) > 0 {
		return CellWays{Reason: "cells know nothing of traffic"}
	}
	l, why := t.lattice()
	if l == nil {
		return CellWays{Reason: why}
	}
	starts, goals, team := t.cellTeam(l, paths)
	if team == nil {
		return CellWays{Reason: "a robot finds no cell to start from or to end in" + because(why)}
	}
	ways, full := team.Search(ctx, cells.Limits{Moves: cellMoves, Bytes: bytes, Seed: seed})
	if ways == nil {
		return CellWays{Reason: "no ways on cells were found" + because(why), Full: full}
	}
	ways = team.Improve(ctx, ways, cells.Limits{Moves: cellStates * len(team.Robots), Bytes: bytes, Seed: seed})
	p := &pace{Task: t, waypoints: len(paths[0])}
	p.turns = append(p.turns, starts.turns...)
	for _, row := range ways[1:] {
		at := make([]geom.Vec2, len(row))
		for i, v := range row {
			at[i] = l.Center(int(v)%l.Columns, int(v)/l.Columns)
		}
		p.turns = append(p.turns, at)
	}
	for k := len(goals.turns) - 2; k >= 0; k-- {
		p.turns = append(p.turns, goals.turns[k])
	}
	return p.walk()
}

// because adds a reason in brackets.
func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + why + ")"
}

// cellTeam returns the crowd on a lattice, and how it gets there and from there; nil if it does not.
func (t Task) cellTeam(l *nav2d.Lattice, paths [][]geom.Vec2) (starts, goals *gathering, team *cells.Team) {
	byRadius := map[float64]*cells.Floor{}
	floors := make([]*cells.Floor, len(t.Disks))
	from, to := make([]geom.Vec2, len(paths)), make([]geom.Vec2, len(paths))
	for i, d := range t.Disks {
		if byRadius[d.Radius] == nil {
			byRadius[d.Radius] = t.floorOf(l, d.Radius)
		}
		floors[i] = byRadius[d.Radius]
		from[i], to[i] = paths[i][0], paths[i][len(paths[i])-1]
	}
	if starts = t.gather(l, floors, from); starts == nil {
		return nil, nil, nil
	}
	if goals = t.gather(l, floors, to); goals == nil {
		return nil, nil, nil
	}
	team = &cells.Team{}
	for i, f := range floors {
		team.Robots = append(team.Robots, cells.Robot{Floor: f, Start: starts.cells[i], Goal: goals.cells[i]})
	}
	free := t.apart() * l.Side()
	team.Tight = func(i, j int) bool { return t.Disks[i].Radius+t.Disks[j].Radius+t.Margin > free }
	return starts, goals, team
}

// pace makes waypoints of turns, in which everybody goes straight at the same time.
type pace struct {
	Task
	waypoints int
	turns     [][]geom.Vec2
}

// of returns the number of waypoints that a turn takes: no robot is too fast, and none
// changes its velocity by too much even if it goes back where it came from.
func (p *pace) of(from, to []geom.Vec2) int {
	n := 1.0
	for i, d := range p.Disks {
		way := from[i].Dist(to[i])
		n = max(n, math.Ceil(way/(d.Step*(1+1e-9))))
		if d.Change > 0 {
			n = max(n, math.Ceil(2*way/(d.Change*(1+1e-9))))
		}
	}
	return int(n)
}

// walk returns the paths. Those that are curves rest for a waypoint at both ends, because they
// take longer to set out and to arrive.
func (p *pace) walk() CellWays {
	var rest int
	if p.Smooth {
		rest = 1
	}
	need := 1 + 2*rest
	steps := make([]int, len(p.turns))
	for k := 1; k < len(p.turns); k++ {
		steps[k] = p.of(p.turns[k-1], p.turns[k])
		need += steps[k]
	}
	if need > p.waypoints {
		return CellWays{Waypoints: need, Reason: fmt.Sprintf("the ways on cells take %d waypoints, and there are %d", need, p.waypoints)}
	}
	out := make([][]geom.Vec2, len(p.Disks))
	for i := range out {
		path := slices.Repeat([]geom.Vec2{p.turns[0][i]}, 1+rest)
		for k := 1; k < len(p.turns); k++ {
			a, b := p.turns[k-1][i], p.turns[k][i]
			for n := 1; n <= steps[k]; n++ {
				path = append(path, a.Lerp(b, float64(n)/float64(steps[k])))
			}
		}
		out[i] = padded(path, p.waypoints-1)
	}
	return CellWays{Paths: out, Waypoints: need}
}
