package plan

import (
	"context"
	"math"
)

// cellsRung searches ways for all robots on the cells of the map. One search is as good as
// any: nobody keeps the way that was sampled.
func cellsRung(ctx context.Context, a *attempt) (bool, error) {
	if !a.foremost || !a.team.restsAtEnds() {
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
		return half.larger()
	}
	return min(half[0], half[1])
}

// restsAtEnds reports whether all robots begin and end at rest.
func (t Team) restsAtEnds() bool {
	for _, r := range t.Robots {
		if r.StartVelocity.Norm() > 0 || r.GoalVelocity.Norm() > 0 {
			return false
		}
	}
	return true
}

// crowdedCells reports whether ways on cells are searched for at once: for crowds on the map's own cells
// whose samples are of little use, because many of them lead through walls or are too long to be
// drawn at once.
func (t Team) crowdedCells(r *Result) bool {
	if t.Map.Cells == nil || len(t.Robots) <= chooseAmong || !t.restsAtEnds() {
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
