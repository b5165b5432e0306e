package route

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// shiftStep is the waiting at either end that is tried, in waypoints.
const shiftStep = 4

// shiftOrders is the number of orders in which robots choose their times.
const shiftOrders = 4

// Shift moves robots in time along the ways that they have: each waits a while at its
// start and at its goal and goes at an even speed in between. One after the other
// takes the times at which it overlaps least with all others that have chosen, and
// then waits least. Only those named choose; of a few orders the best is kept. It
// returns nil when nothing is gained.
func (t Task) Shift(paths [][]geom.Vec2, who []int, seed uint64) [][]geom.Vec2 {
	before := t.overlapOf(paths, who)
	var best [][]geom.Vec2
	draw := rand.New(rand.NewPCG(seed, 0x7368696674))
	order := append([]int(nil), who...)
	for range shiftOrders {
		shifted := t.shiftInOrder(paths, order)
		if o := t.overlapOf(shifted, who); o < before {
			best, before = shifted, o
		}
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return best
}

func (t Task) shiftInOrder(paths [][]geom.Vec2, order []int) [][]geom.Vec2 {
	out := append([][]geom.Vec2(nil), paths...)
	chosen := make([]bool, len(paths))
	for i := range chosen {
		chosen[i] = true
	}
	for _, i := range order {
		chosen[i] = false
	}
	for _, i := range order {
		out[i] = t.bestTimes(out, chosen, i)
		chosen[i] = true
	}
	return out
}

// bestTimes returns the way of robot i at the times at which it overlaps least with
// those that have chosen theirs.
func (t Task) bestTimes(paths [][]geom.Vec2, chosen []bool, i int) []geom.Vec2 {
	way, last := paths[i], len(paths[i])-1
	best, least := way, t.overlapWith(paths, chosen, i, way)
	for waits := 0; waits < last && least > 0; waits += shiftStep {
		for at := 0; at <= waits; at += shiftStep {
			moved := t.timed(i, way, at, waits-at)
			if moved == nil {
				continue
			}
			if o := t.overlapWith(paths, chosen, i, moved); o < least {
				best, least = moved, o
			}
		}
	}
	return best
}

// timed returns a way that waits at both ends and is walked evenly in between, nil if
// that is too fast.
func (t Task) timed(i int, way []geom.Vec2, before, after int) []geom.Vec2 {
	last := len(way) - 1
	steps := last - before - after
	if steps < 1 || geom.Length(way) > evenly*t.Disks[i].Step*float64(steps) {
		return nil
	}
	out := make([]geom.Vec2, len(way))
	for h := range out {
		out[h] = way[0]
		if h > before {
			out[h] = way[last]
		}
	}
	walk(out[before:before+steps+1], way)
	return out
}

// overlapOf returns by how much the robots named overlap with all others in all.
func (t Task) overlapOf(paths [][]geom.Vec2, who []int) (sum float64) {
	others := make([]bool, len(paths))
	for i := range others {
		others[i] = true
	}
	for _, i := range who {
		sum += t.overlapWith(paths, others, i, paths[i])
	}
	return sum
}

// overlapWith returns by how much a path of robot i overlaps with those of some
// others and with traffic, summed over steps.
func (t Task) overlapWith(paths [][]geom.Vec2, others []bool, i int, path []geom.Vec2) (sum float64) {
	for j, other := range paths {
		if j != i && others[j] {
			sum += t.overlapAlong(path, Course{Path: other}, t.Disks[i].Radius+t.Disks[j].Radius+t.Margin)
		}
	}
	for _, m := range t.Traffic {
		sum += t.overlapAlong(path, m.Course, t.Disks[i].Radius+m.Radius+t.Margin)
	}
	return sum
}

// overlapAlong sums over steps by how much one that moves straight from waypoint to waypoint comes
// nearer to a body than a distance, which may be late.
func (t Task) overlapAlong(p []geom.Vec2, q Course, distance float64) (sum float64) {
	if t.Lateness == 0 {
		return overlapAlong(p, q, distance)
	}
	for h := 1; h < len(p); h++ {
		sum += max(0, q.nearLate(p[h-1], p[h], h-1, t.late(), distance))
	}
	return sum
}

// overlap sums over steps by how much two that move straight from waypoint to waypoint
// come nearer than a distance.
func overlap(p, q []geom.Vec2, distance float64) float64 {
	return overlapAlong(p, Course{Path: q}, distance)
}

// overlapAlong is overlap with a body on a course of its own.
func overlapAlong(p []geom.Vec2, q Course, distance float64) (sum float64) {
	for h := 1; h < len(p); h++ {
		most := 0.0
		q.seenFrom(p[h-1], p[h], h-1, func(u, v geom.Vec2) {
			if far := distance + u.Dist(v); math.Abs(u.X) > far || math.Abs(u.Y) > far {
				return
			}
			gap, _ := gaps.Relative(u, v, distance)
			most = max(most, -gap)
		})
		sum += most
	}
	return sum
}
