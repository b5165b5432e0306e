package plan

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/turns"
)

// Vehicles that a repair moves aside bend their ways more than they can steer. Instead they take
// turns: one after the other gets a way round those who stand, at their goals or still at their
// starts, and starts as early as those who go before let it.

// turnOrders is how often an order is drawn; one that was tried is not tried again.
const turnOrders = 8

// turnRepairs is how often what comes of an order is repaired, and fewRepairs where there may be more waypoints
// for it.
const (
	turnRepairs = 6
	fewRepairs  = 2
)

// takeTurns gives all robots ways and times of their own, of which the first that a repair
// certifies are kept. Whoever cannot go yet lets others go first.
func (a *attempt) takeTurns(ctx context.Context, factor float64) error {
	draw := rand.New(rand.NewPCG(uint64(a.sample), 0x7475726e73))
	team := a.team.turning()
	order, tried := team.Order(factor), map[turns.Manner][][]int{} // orders in which they went
	manners := []turns.Manner{turns.OnArcs}
	if slices.ContainsFunc(a.team.Robots, Robot.onTheSpot) {
		manners = []turns.Manner{turns.OnSpots, turns.OnArcs}
	}
	for i, r := range team.Robots {
		if !r.Stays && team.Turn(i, nil, factor, manners[0]) == nil {
			return ctx.Err() // no time, even if nobody else was there
		}
	}
	repairs := turnRepairs
	if _, more := a.team.finer(); more && a.team.mayBeFiner() {
		repairs = fewRepairs
	}
	for range turnOrders {
		for _, manner := range manners {
			ways, went := team.InTurn(order, factor, manner)
			if ways == nil || slices.ContainsFunc(tried[manner], func(o []int) bool { return slices.Equal(o, went) }) {
				if err := ctx.Err(); err != nil {
					return err
				}
				continue
			}
			tried[manner] = append(tried[manner], went)
			if err := a.turnsFrom(ctx, ways); err != nil || a.safe() {
				return err
			}
			if repairs--; repairs <= 0 {
				return nil
			}
		}
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return nil
}

// turnsFrom repairs control points of robots that take turns, and keeps what is certified.
func (a *attempt) turnsFrom(ctx context.Context, ways [][]geom.Vec2) error {
	b, from := *a, a.model
	for i, way := range ways {
		if way != nil {
			from = a.team.withWay(from, i, way)
		}
	}
	if err := b.repair(ctx, from); err != nil || !b.safe() {
		return err
	}
	b.rerouted = make([]bool, len(from))
	for i, r := range a.team.Robots {
		b.rerouted[i] = !a.team.stays(r)
	}
	*a = b
	return nil
}
