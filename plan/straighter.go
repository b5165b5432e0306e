package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// A repair of samples that lead through walls may end in ways that wind: certified, and several
// times as long as they have to be. Such plans are compared with what comes of the shortest ways
// round obstacles, and with ways that are searched.

// winding is by how many times a plan is longer than the shortest ways of its robots alone from
// which it is compared, and shorter how much of its length another has to save.
const (
	winding = 1.25
	shorter = 0.9
)

// straighter returns a plan that is certified and much shorter than one that winds, or that one.
func (t Team) straighter(ctx context.Context, a *attempt, prefer Preference) (*attempt, error) {
	if t.Map.Pattern != nil || prefer == PreferClearance || a.displacement == 0 || len(t.Robots) > searchedAtOnce || a.cells.Paths != nil {
		return a, nil
	}
	if !t.onCells() && a.length <= winding*a.apart() {
		return a, nil // whatever the shortest ways are
	}
	direct, bound := a.direct()
	switch {
	case direct != nil && a.length <= winding*bound:
		return a, nil
	case t.onCells(): // also where the lattice of shortest ways is too coarse for gaps of a cell
		return t.overCells(ctx, a)
	case direct == nil:
		return a, nil
	}
	for _, ways := range []func() [][]geom.Vec2{
		func() [][]geom.Vec2 { return direct },
		func() [][]geom.Vec2 { return a.routes.StepAside(ctx, direct, everybody(len(direct)), a.memory) },
	} {
		paths := ways()
		if paths == nil || ctx.Err() != nil {
			continue
		}
		b := *a
		n := len(t.Robots)
		b.rerouted, b.shifted, b.searched = make([]bool, n), make([]bool, n), make([]bool, n)
		if err := b.takeWays(ctx, paths, everybody(n)); timeIsUp(ctx) {
			break
		} else if err != nil {
			return nil, err
		}
		if b.measure(); b.safe() && b.length < shorter*a.length {
			return &b, nil
		}
	}
	return a, unlessUp(ctx, ctx.Err())
}

// overCells returns a plan over the cells of the map that is certified and much shorter, or the one that is
// given.
func (t Team) overCells(ctx context.Context, a *attempt) (*attempt, error) {
	b := *a
	n := len(t.Robots)
	b.foremost, b.rerouted, b.shifted, b.searched = true, make([]bool, n), make([]bool, n), make([]bool, n)
	if found, err := cellsRung(ctx, &b); err != nil || !found {
		return a, unlessUp(ctx, err)
	}
	if b.measure(); b.safe() && b.length < shorter*a.length {
		return &b, nil
	}
	return a, nil
}

// apart returns how far the starts of all robots are from their goals together, less than what rounding
// adds to the length of ways: no ways are shorter.
func (a *attempt) apart() (sum float64) {
	for _, p := range a.paths(a.model) {
		sum += p[0].Dist(p[len(p)-1])
	}
	return sum * (1 - 1e-9)
}

// direct returns the shortest ways of all robots round obstacles, each at an even speed, and how long
// they are together; none where one of them has no way.
func (a *attempt) direct() (paths [][]geom.Vec2, sum float64) {
	for i, p := range a.paths(a.model) {
		last := len(p) - 1
		way := a.routes.Round(a.routes.Disks[i], p[0], p[last])
		if way == nil {
			return nil, 0
		}
		long := geom.Length(way)
		sum += long
		for h := 1; h < last; h++ {
			p[h] = profile.Along(way, long*float64(h)/float64(last))
		}
		paths = append(paths, p)
	}
	return paths, sum
}
