package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
)

// The numbers of robots up to which all of them search new ways, not only those in trouble:
// one by one, when new ways for those are not enough, and together.
const (
	searchedAtOnce   = 24
	searchedTogether = 40
)

// stepAsideRung searches new ways robot by robot.
func stepAsideRung(ctx context.Context, a *attempt) (bool, error) {
	paths := a.paths(a.at)
	groups := [][]int{a.routes.Troubled(paths)}
	if n := len(paths); n <= searchedAtOnce && len(groups[0]) < n {
		groups = append(groups, everybody(n))
	}
	for _, who := range groups {
		if found := a.routes.StepAside(ctx, paths, who, a.memory); found != nil {
			if err := a.takeWays(ctx, found, who); err != nil || a.safe() {
				return true, err
			}
		}
	}
	return false, ctx.Err()
}

// togetherRung searches new ways for all robots together. Where nobody keeps the way that was
// sampled, one search is as good as any.
func togetherRung(ctx context.Context, a *attempt) (bool, error) {
	paths := a.paths(a.at)
	who := everybody(len(paths))
	if len(paths) > searchedTogether {
		who = a.routes.Troubled(paths)
	} else if !a.foremost {
		return false, nil
	}
	found, full := a.routes.MoveTogether(ctx, paths, who, uint64(a.sample), a.memory)
	a.full = a.full || full
	if found == nil {
		return false, ctx.Err()
	}
	return true, a.takeWays(ctx, found, who)
}

// takeWays repairs paths on which the robots named have new ways: nothing is left of what
// was done to the ways before.
func (a *attempt) takeWays(ctx context.Context, paths [][]geom.Vec2, who []int) error {
	for _, i := range who {
		a.rerouted[i], a.shifted[i], a.searched[i] = false, false, true
	}
	return a.repair(ctx, a.withPaths(paths))
}

func everybody(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
