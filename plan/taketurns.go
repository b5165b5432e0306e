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

// turnOrders is the number of orders that are tried.
const turnOrders = 8

// takeTurns gives all robots ways and times of their own, of which the first that a repair
// certifies are kept.
func (a *attempt) takeTurns(ctx context.Context, factor float64) error {
	draw := rand.New(rand.NewPCG(uint64(a.sample), 0x7475726e73))
	order := everybody(len(a.team.Robots))
	for range turnOrders {
		if from := a.team.inTurn(a.model, order, factor); from != nil {
			b := *a
			if err := b.repair(ctx, from); err != nil {
				return err
			}
			if b.safe() {
				b.rerouted = slices.Repeat([]bool{true}, len(order))
				*a = b
				return nil
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return nil
}

// inTurn returns joint control points for robots that take turns in an order; nil where one of them has
// no way, or no time.
func (t Team) inTurn(x []tensor.Batch, order []int, factor float64) []tensor.Batch {
	ways := make([][]geom.Vec2, len(order))
	for _, i := range order {
		if t.stays(t.Robots[i]) {
			continue
		}
		line, steps := t.turn(i, t.among(i, ways), factor)
		if line == nil {
			return nil
		}
		if ways[i] = t.firstGap(i, line, steps, ways); ways[i] == nil {
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

// turn returns the line of a robot on a map, and in how many steps it goes along it at its pace.
func (t Team) turn(i int, on *nav2d.Map, factor float64) (line []geom.Vec2, steps int) {
	r := t.Robots[i]
	speed, acceleration := t.limits(r)
	radius := r.Radius * t.LengthUnit()
	if r.turns() {
		radius = t.arcs(r, factor, speed)
	}
	if line = t.vehicleLine(i, radius, on); line == nil {
		return nil, 0
	}
	const reserve = 0.9 // of the limits, for a repair
	step, change := t.asSteps(r.pace(speed, acceleration, radius), acceleration, reserve)
	if math.IsInf(step, 1) && math.IsInf(change, 1) {
		return line, t.waypoints() / len(t.Robots)
	}
	for steps = 4; steps < t.waypoints()-1; steps++ {
		if _, reach := profile(steps, step, change, true); reach >= geom.Length(line) {
			return line, steps
		}
	}
	return nil, 0
}

// asSteps returns a part of a speed and an acceleration as lengths of steps.
func (t Team) asSteps(speed, acceleration, part float64) (step, change float64) {
	return part * speed * t.Step, part * acceleration * t.Step * t.Step
}

// firstGap returns control points of a robot that waits, goes along a line in some steps and stays
// at its end: as early as those who have ways let it; nil where they never do.
func (t Team) firstGap(i int, line []geom.Vec2, steps int, ways [][]geom.Vec2) []geom.Vec2 {
	for waits := 0; waits+steps < t.waypoints(); waits += max(1, t.waypoints()/64) {
		if way := t.along(i, line, waits, steps); !t.meets(i, way, ways) {
			return way
		}
	}
	return nil
}

// along returns control points that wait, go along a line in some steps from rest to rest, and stay at its end.
func (t Team) along(i int, line []geom.Vec2, waits, steps int) []geom.Vec2 {
	n, length := t.waypoints(), geom.Length(line)
	_, acceleration := t.limits(t.Robots[i])
	_, change := t.asSteps(0, acceleration, 1)
	lengths, reach := profile(steps, 1, change, true)
	if math.IsInf(change, 1) {
		lengths, reach = profile(steps, 1, 1, true)
	}
	out := make([]geom.Vec2, 0, n)
	for len(out) <= waits {
		out = append(out, line[0])
	}
	at := 0.0
	for h, d := range lengths[:steps-1] {
		at += d * share(h, steps, true) * length / reach
		out = append(out, alongLine(line, at))
	}
	for len(out) < n {
		out = append(out, line[len(line)-1])
	}
	return out
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
