package turns

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
)

// Manner is where robots turn that may turn where they stand.
type Manner bool

// The manners.
const (
	OnSpots Manner = true  // there
	OnArcs  Manner = false // on arcs at the ends of their ways
)

// InTurn returns control points of robots that take turns, nil for one that stays, and the order in which they go: first in the given
// one who has a way by then, and time for it. No ways are returned where nobody has who is left.
func (t Team) InTurn(order []int, factor float64, m Manner) (ways [][]geom.Vec2, went []int) {
	ways = make([][]geom.Vec2, len(order))
	left := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return t.Robots[i].Stays })
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(i int) bool {
			if turn := t.Turn(i, ways, factor, m); turn != nil {
				ways[i] = t.firstGap(i, turn, ways)
			}
			return ways[i] != nil
		})
		if next < 0 {
			return nil, nil
		}
		i := left[next]
		went, left = append(went, i), slices.Delete(left, next, next+1)
	}
	return ways, went
}

// Order returns an order in which nobody stands in the way of who goes, where there is one: whose start
// is on the way of another goes first, whose goal is, later.
func (t Team) Order(factor float64) (order []int) {
	n := len(t.Robots)
	first := make([][]bool, n) // first[i][j] says that j goes before i
	for i := range first {
		first[i] = make([]bool, n)
	}
	for i, r := range t.Robots {
		line, _, _ := t.lineAmong(i, t.arcs(r, factor), false, nil)
		for j, other := range t.Robots {
			apart := (r.Radius + other.Radius + t.Margin) * t.Frame.Scale
			if j == i || line == nil {
				continue
			}
			first[i][j] = first[i][j] || near(line, t.Frame.FromMap(other.Start), apart)
			first[j][i] = first[j][i] || near(line, t.Frame.FromMap(other.Goal), apart)
		}
	}
	var left []int
	for i := range n {
		left = append(left, i)
	}
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

// Turn returns the control points of a robot among the others as they stand, as if it had the time for itself, at its
// pace: nil where it has no way, or no time.
func (t Team) Turn(i int, ways [][]geom.Vec2, factor float64, m Manner) []geom.Vec2 {
	r := t.Robots[i]
	radius := r.Radius * t.Frame.Scale
	if r.Turns {
		radius = t.arcs(r, factor)
	}
	if r.TurningRadius > 0 { // tighter arcs than a robot is wide hardly make a way shorter
		radius = max(radius, 0.7*r.Size)
	}
	spot := m == OnSpots && r.OnSpot
	line, leads, _ := t.lineAmong(i, radius, spot, ways)
	if line == nil {
		return nil
	}
	first, end := 0, 0
	if spot {
		first, end = t.standingAt(r, line)
	}
	if !spot && t.tight(r, radius, leads) {
		speed, change := t.slow(r, line, leads)
		if steps := profile.Steps(line, speed, change); steps < float64(t.Waypoints-1) {
			return profile.Paced(int(steps), line, speed, change)
		}
		return nil
	}
	const reserve = 0.9 // of the limits, for a repair
	step, change := reserve*r.pace(radius)*t.Step, reserve*r.Acceleration*t.Step*t.Step
	if r.TurningRadius > 0 {
		step = min(step, 0.5*radius)   // an arc has several waypoints
		change = min(change, 0.2*step) // and the line on which it leaves and comes to rest has two
	}
	if math.IsInf(step, 1) && math.IsInf(change, 1) {
		step = geom.Length(line) * float64(len(t.Robots)) / float64(t.Waypoints)
	}
	for steps := 4; steps+first+end < t.Waypoints-1; steps++ {
		if p := profile.Fastest(steps, step, change, true); p.Reach >= geom.Length(line) {
			return slices.Concat(slices.Repeat(line[:1], first), p.Spread(line), slices.Repeat(line[len(line)-1:], end+1))
		}
	}
	return nil
}

// firstGap returns control points of a robot that waits, has its turn and stays at its end: as early as
// those who have ways let it; nil where they never do.
func (t Team) firstGap(i int, turn []geom.Vec2, ways [][]geom.Vec2) []geom.Vec2 {
	n := t.Waypoints
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
		apart := room * (t.Robots[i].Radius + t.Robots[j].Radius + t.Margin) * t.Frame.Scale
		for h := 1; h < len(way); h++ {
			a, b := way[h-1].Sub(other[h-1]), way[h].Sub(other[h])
			if (geom.Segment{A: a, B: b}).Distance(geom.Vec2{}) < apart {
				return true
			}
		}
	}
	return false
}
