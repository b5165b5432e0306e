package plan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Vehicles that a repair moves aside bend their ways more than they can steer. Instead they take
// turns: one after the other gets a way round those who stand, at their goals or still at their
// starts, and starts as early as those who go before let it.

// turnOrders is how often an order is drawn; one that was tried is not tried again.
const turnOrders = 8

// turning is where robots turn that may turn where they stand.
type turning bool

const (
	onSpots turning = true  // there
	onArcs  turning = false // on arcs at the ends of their ways
)

// takeTurns gives all robots ways and times of their own, of which the first that a repair
// certifies are kept.
func (a *attempt) takeTurns(ctx context.Context, factor float64) error {
	draw := rand.New(rand.NewPCG(uint64(a.sample), 0x7475726e73))
	order := everybody(len(a.team.Robots))
	var tried [][]int
	manners := []turning{onArcs}
	if slices.ContainsFunc(a.team.Robots, Robot.onTheSpot) {
		manners = []turning{onSpots, onArcs}
	}
	for range turnOrders {
		if !slices.ContainsFunc(tried, func(o []int) bool { return slices.Equal(o, order) }) {
			for _, manner := range manners {
				if err := a.turnsIn(ctx, order, factor, manner); err != nil || a.safe() {
					return err
				}
			}
			tried = append(tried, slices.Clone(order))
		}
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return nil
}

// turnsIn is takeTurns in one order.
func (a *attempt) turnsIn(ctx context.Context, order []int, factor float64, m turning) error {
	from := a.team.inTurn(a.model, order, factor, m)
	if from == nil {
		return ctx.Err()
	}
	b := *a
	if err := b.repair(ctx, from); err != nil || !b.safe() {
		return err
	}
	b.rerouted = make([]bool, len(order))
	for i, r := range a.team.Robots {
		b.rerouted[i] = !a.team.stays(r)
	}
	*a = b
	return nil
}

// inTurn returns joint control points for robots that take turns in an order; nil where one of them has
// no way, or no time.
func (t Team) inTurn(x []tensor.Batch, order []int, factor float64, m turning) []tensor.Batch {
	ways := make([][]geom.Vec2, len(order))
	for _, i := range order {
		if t.stays(t.Robots[i]) {
			continue
		}
		turn := t.turn(i, t.among(i, ways), factor, m)
		if turn == nil {
			return nil
		}
		if ways[i] = t.firstGap(i, turn, ways); ways[i] == nil {
			return nil
		}
		x = t.withWay(x, i, ways[i])
	}
	return x
}

// among returns the map of a robot with all others as they stand: at their goals those that have ways,
// the rest at their starts.
func (t Team) among(i int, ways [][]geom.Vec2) *nav2d.Map {
	var solids []geom.Solid
	for j, r := range t.Robots {
		if j == i {
			continue
		}
		at := r.Start
		if ways[j] != nil {
			at = r.Goal
		}
		solids = append(solids, geom.Circle{Center: at, Radius: r.Radius})
	}
	return t.Map.With(solids...)
}

// turn returns the control points of a robot on a map, as if it had it for itself, at its pace: nil where
// it has no way, or no time.
func (t Team) turn(i int, on *nav2d.Map, factor float64, m turning) []geom.Vec2 {
	r := t.Robots[i]
	speed, acceleration := t.limits(r)
	radius := r.Radius * t.LengthUnit()
	if r.turns() {
		radius = t.arcs(r, factor, speed)
	}
	headings := [2]*float64{r.StartHeading, r.GoalHeading}
	spot := m == onSpots && r.onTheSpot()
	if spot {
		headings = [2]*float64{} // which it turns from and to where it stands
	}
	line := t.vehicleLine(i, headings, radius, on)
	if line == nil {
		return nil
	}
	first, end := 0, 0
	if spot {
		first, end = t.standingAt(r, line)
	}
	const reserve = 0.9 // of the limits, for a repair
	step, change := reserve*r.pace(speed, acceleration, radius)*t.Step, reserve*acceleration*t.Step*t.Step
	if math.IsInf(step, 1) && math.IsInf(change, 1) {
		step = geom.Length(line) * float64(len(t.Robots)) / float64(t.waypoints())
	}
	for steps := 4; steps+first+end < t.waypoints()-1; steps++ {
		if lengths, reach := profile(steps, step, change, true); reach >= geom.Length(line) {
			return slices.Concat(slices.Repeat(line[:1], first), spread(line, lengths, reach, true), slices.Repeat(line[len(line)-1:], end+1))
		}
	}
	return nil
}

// firstGap returns control points of a robot that waits, has its turn and stays at its end: as early as
// those who have ways let it; nil where they never do.
func (t Team) firstGap(i int, turn []geom.Vec2, ways [][]geom.Vec2) []geom.Vec2 {
	n := t.waypoints()
	for waits := 0; waits+len(turn) <= n; waits += max(1, n/64) {
		way := slices.Concat(slices.Repeat(turn[:1], waits), turn, slices.Repeat(turn[len(turn)-1:], n-waits-len(turn)))
		if !t.meets(i, way, ways) {
			return way
		}
	}
	return nil
}

// meets reports whether control points of a robot come near to those of others that have ways, at the same time.
func (t Team) meets(i int, way []geom.Vec2, ways [][]geom.Vec2) bool {
	const room = 1.05 // curves lie beside their control points
	for j, other := range ways {
		if other == nil || j == i {
			continue
		}
		apart := room * (t.Robots[i].Radius + t.Robots[j].Radius + t.Margin) * t.LengthUnit()
		for h := 1; h < len(way); h++ {
			a, b := way[h-1].Sub(other[h-1]), way[h].Sub(other[h])
			if (geom.Segment{A: a, B: b}).Distance(geom.Vec2{}) < apart {
				return true
			}
		}
	}
	return false
}
