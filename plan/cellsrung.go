package plan

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
)

// cellsRung searches ways for all robots on the cells of the map. One search is as good as
// any: nobody keeps the way that was sampled.
func cellsRung(ctx context.Context, a *attempt) (bool, error) {
	if !a.foremost || !a.team.turnsAtOnce() {
		return false, nil
	}
	routes := a.routes
	routes.Disks = append(routes.Disks[:0:0], routes.Disks...)
	for i, r := range a.team.Robots {
		unit := a.team.Step * a.team.judgedUnit(r)
		routes.Disks[i].Step, routes.Disks[i].Change = r.Limit*unit, r.Acceleration*a.team.Step*unit
	}
	found := routes.MoveOverCells(ctx, a.paths(a.model), uint64(a.sample), a.memory)
	a.full = a.full || found.Full
	a.cells = found
	if found.Paths == nil {
		return false, ctx.Err()
	}
	return true, a.takeWays(ctx, found.Paths, everybody(len(found.Paths)))
}

// judgedUnit returns the map units in a normalised unit of a robot's model, for lengths of
// steps as they are judged.
func (t Team) judgedUnit(r Robot) float64 {
	half := r.Model.HalfRange()
	if t.IsScene() {
		return larger(half)
	}
	return min(half[0], half[1])
}

// turnsAtOnce reports whether all robots can go from cell to cell: from rest to rest, with turns
// of any kind.
func (t Team) turnsAtOnce() bool {
	for _, r := range t.Robots {
		if !r.rests() || r.turns() {
			return false
		}
	}
	return true
}

// paced returns a team that has so many seconds: on a map with cells with as many waypoints as
// moves from cell to cell take, otherwise with longer steps.
func (t Team) paced(seconds float64) Team {
	move := 0.0
	if l := t.Map.Cells; l != nil && t.turnsAtOnce() && len(t.Traffic) == 0 {
		for _, r := range t.Robots {
			unit := t.judgedUnit(r)
			move = max(move, l.MoveTime(r.Radius, t.Margin, r.Limit*unit, r.Acceleration*unit))
		}
	}
	drawn := t.Robots[0].Model.Waypoints()
	if t.Waypoints = drawn; move > 0 {
		t.Waypoints = nav2d.WaypointsOfMoves(seconds, move, drawn)
	}
	t.Step = seconds / float64(t.Waypoints)
	return t
}

// onCells reports whether the waypoints of a team are those of moves from cell to cell.
func (t Team) onCells() bool { return t.Waypoints > t.Robots[0].Model.Waypoints() && t.turnsAtOnce() }

// crowdedCells reports whether ways on cells are searched for at once: for crowds on the map's own cells
// whose samples are of little use, because many of them lead through walls or are too long to be
// drawn at once.
func (t Team) crowdedCells(r *Result) bool {
	if t.Map.Cells == nil || len(t.Robots) <= chooseAmong || !t.turnsAtOnce() {
		return false
	}
	hit := 0
	for _, h := range r.Judged[0].Hit {
		if h {
			hit++
		}
	}
	return hit > int(math.Ceil(float64(len(t.Robots))*mostHit))
}

// mostHit is the share of robots in walls up to which a sample is repaired first.
const mostHit = 0.1
