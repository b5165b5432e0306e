package plan

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
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
	order, tried := a.team.turnOrder(factor), map[turning][][]int{} // orders in which they went
	manners := []turning{onArcs}
	if slices.ContainsFunc(a.team.Robots, Robot.onTheSpot) {
		manners = []turning{onSpots, onArcs}
	}
	for i, r := range a.team.Robots {
		if !a.team.stays(r) && a.team.turn(i, nil, factor, manners[0]) == nil {
			return ctx.Err() // no time, even if nobody else was there
		}
	}
	repairs := turnRepairs
	if _, more := a.team.finer(); more && a.team.mayBeFiner() {
		repairs = fewRepairs
	}
	for range turnOrders {
		for _, manner := range manners {
			from, went := a.team.inTurn(a.model, order, factor, manner)
			if from == nil || slices.ContainsFunc(tried[manner], func(o []int) bool { return slices.Equal(o, went) }) {
				if err := ctx.Err(); err != nil {
					return err
				}
				continue
			}
			tried[manner] = append(tried[manner], went)
			if err := a.turnsFrom(ctx, from); err != nil || a.safe() {
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
func (a *attempt) turnsFrom(ctx context.Context, from []tensor.Batch) error {
	b := *a
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

// inTurn returns joint control points for robots that take turns, and in which order: first in the given one
// who has a way by then, and time for it. Nil where nobody has who is left.
func (t Team) inTurn(x []tensor.Batch, order []int, factor float64, m turning) (out []tensor.Batch, went []int) {
	ways := make([][]geom.Vec2, len(order))
	left := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return t.stays(t.Robots[i]) })
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(i int) bool {
			if turn := t.turn(i, ways, factor, m); turn != nil {
				ways[i] = t.firstGap(i, turn, ways)
			}
			return ways[i] != nil
		})
		if next < 0 {
			return nil, nil
		}
		i := left[next]
		x, went, left = t.withWay(x, i, ways[i]), append(went, i), slices.Delete(left, next, next+1)
	}
	return x, went
}

// turnOrder returns an order in which nobody stands in the way of who goes, where there is one: whose start
// is on the way of another goes first, whose goal is, later.
func (t Team) turnOrder(factor float64) (order []int) {
	n := len(t.Robots)
	first := make([][]bool, n) // first[i][j] says that j goes before i
	for i := range first {
		first[i] = make([]bool, n)
	}
	for i, r := range t.Robots {
		speed, _ := t.limits(r)
		line, _ := t.lineAmong(i, [2]*float64{r.StartHeading, r.GoalHeading}, t.arcs(r, factor, speed), false, nil, t.nobody)
		for j, other := range t.Robots {
			apart := (r.Radius + other.Radius + t.Margin) * t.LengthUnit()
			if j == i || line == nil {
				continue
			}
			first[i][j] = first[i][j] || near(line, t.frame().FromMap(other.Start), apart)
			first[j][i] = first[j][i] || near(line, t.frame().FromMap(other.Goal), apart)
		}
	}
	left := everybody(n)
	for len(left) > 0 {
		next, fewest := 0, n
		for k, i := range left {
			waits := 0
			for _, j := range left {
				if first[i][j] {
					waits++
				}
			}
			if waits < fewest {
				next, fewest = k, waits
			}
		}
		order, left = append(order, left[next]), slices.Delete(left, next, next+1)
	}
	return order
}

// near reports whether a line comes nearer to a point than a distance.
func near(line []geom.Vec2, p geom.Vec2, distance float64) bool {
	for k := 1; k < len(line); k++ {
		if (geom.Segment{A: line[k-1], B: line[k]}).Distance(p) < distance {
			return true
		}
	}
	return false
}

// nobody returns the map without robots.
func (t Team) nobody() *nav2d.Map { return t.Map }

// among returns the map of a robot with all others as they stand: at their goals those that have ways,
// the rest at their starts. Nil is without them.
func (t Team) among(i int, ways [][]geom.Vec2) *nav2d.Map {
	if ways == nil {
		return t.Map
	}
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

// turn returns the control points of a robot among the others as they stand, as if it had the time for itself, at its
// pace: nil where it has no way, or no time.
func (t Team) turn(i int, ways [][]geom.Vec2, factor float64, m turning) []geom.Vec2 {
	r := t.Robots[i]
	speed, acceleration := t.limits(r)
	radius := r.Radius * t.LengthUnit()
	if r.turns() {
		radius = t.arcs(r, factor, speed)
	}
	if r.TurningRadius > 0 { // tighter arcs than a robot is wide hardly make a way shorter
		radius = max(radius, 0.7*t.RadiusOf(r))
	}
	headings := [2]*float64{r.StartHeading, r.GoalHeading}
	spot := m == onSpots && r.onTheSpot()
	if spot {
		headings = [2]*float64{} // which it turns from and to where it stands
	}
	line, _ := t.lineAmong(i, headings, radius, spot, ways, func() *nav2d.Map { return t.among(i, ways) })
	if line == nil {
		return nil
	}
	first, end := 0, 0
	if spot {
		first, end = t.standingAt(r, line)
	}
	const reserve = 0.9 // of the limits, for a repair
	step, change := reserve*r.pace(speed, acceleration, radius)*t.Step, reserve*acceleration*t.Step*t.Step
	if r.TurningRadius > 0 {
		step = min(step, 0.5*radius)   // an arc has several waypoints
		change = min(change, 0.2*step) // and the line on which it leaves and comes to rest has two
	}
	if math.IsInf(step, 1) && math.IsInf(change, 1) {
		step = geom.Length(line) * float64(len(t.Robots)) / float64(t.waypoints())
	}
	for steps := 4; steps+first+end < t.waypoints()-1; steps++ {
		if p := profile.Fastest(steps, step, change, true); p.Reach >= geom.Length(line) {
			return slices.Concat(slices.Repeat(line[:1], first), p.Spread(line), slices.Repeat(line[len(line)-1:], end+1))
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
