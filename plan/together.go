package plan

import (
	"context"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Numbers of the search for all ways together.
const (
	togetherBudget = 2e6 // moves of pairs compared, per spacing
	togetherLonger = 4   // times as many moves as there is time for, before they are led to arrive earlier
	togetherPasses = 3   // of making ways shorter, robot by robot
)

// moveTogether searches ways for the robots named all at once, among those of the others.
// The first that are found may be long and late: robot by robot, each is searched anew
// among the others, first to arrive early, then to be short. It returns nil when none is
// found, or none in time.
func (t Team) moveTogether(ctx context.Context, paths [][]geom.Vec2, who []int, seed uint64) [][]geom.Vec2 {
	for _, spacing := range asideSpacings {
		if found := t.moveOnLattice(ctx, paths, who, spacing, seed); found != nil {
			return found
		}
	}
	return nil
}

func (t Team) moveOnLattice(ctx context.Context, paths [][]geom.Vec2, who []int, spacing float64, seed uint64) [][]geom.Vec2 {
	c := t.newCrowd(paths, who, spacing)
	if c == nil {
		return nil
	}
	most := c.last / c.per
	chain := c.search(ctx, togetherBudget, togetherLonger*most, seed)
	if chain == nil {
		return nil
	}
	moves := max(len(chain)-1, most)
	found := make([][]geom.Vec2, len(paths))
	for i, path := range paths {
		found[i] = padded(path, c.waypoint(moves))
	}
	for k, i := range who {
		found[i] = c.path(chain, k, c.waypoint(moves))
	}
	for pass := 0; moves > most && pass < togetherPasses; pass++ {
		c.again(ctx, t, found, who, true)
		moves = c.latest(found, who)
	}
	if moves > most || ctx.Err() != nil {
		return nil
	}
	for i := range found {
		found[i] = found[i][:c.last+1]
	}
	for range togetherPasses {
		c.again(ctx, t, found, who, false)
	}
	return found
}

// again searches the ways of members one by one among all others, those who are last
// first.
func (c *crowd) again(ctx context.Context, t Team, paths [][]geom.Vec2, who []int, early bool) {
	order := make([]int, len(who))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return settled(paths[who[b]]) - settled(paths[who[a]]) })
	for _, k := range order {
		if ctx.Err() != nil {
			return
		}
		i := who[k]
		m := &c.members[k]
		s := &traveller{road: m.road, last: len(paths[i]) - 1, per: c.per, early: early}
		s.others = t.companions(paths, make([]bool, len(paths)), i)
		for j := range s.others {
			s.others[j].path = padded(s.others[j].path, s.last)
		}
		if path := s.travel(); path != nil {
			paths[i] = path
		}
	}
}

// latest returns the number of moves after which all members are at their goals for good.
func (c *crowd) latest(paths [][]geom.Vec2, who []int) (moves int) {
	for _, i := range who {
		moves = max(moves, int(math.Ceil(float64(settled(paths[i])-c.waypoint(0))/float64(c.per))))
	}
	return moves
}

// settled returns the waypoint from which a path stays at its end.
func settled(path []geom.Vec2) int {
	h := len(path) - 1
	for h > 0 && path[h-1] == path[len(path)-1] {
		h--
	}
	return h
}

// padded returns a path up to a last waypoint, staying at its end.
func padded(path []geom.Vec2, last int) []geom.Vec2 {
	if len(path) > last {
		return path
	}
	return append(slices.Clip(path), slices.Repeat([]geom.Vec2{path[len(path)-1]}, last+1-len(path))...)
}
