package route

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// Numbers of the search for ways past each other.
var asideSpacings = [...]float64{1.5, 0.75} // of the lattice in radii of the robot

// asideHolds are the shares of the time for which all but the last robot wait at
// their starts, so that those behind them have time to get out of the way.
var asideHolds = [...]float64{0, 0.1, 0.2, 0.3}

const (
	asideAttempts = 16    // orders of the robots, per spacing
	asideRoom     = 1.05  // radii kept, so that the repair has room
	asidePlaces   = 40000 // of a lattice at most
)

// StepAside searches ways for the robots named, one after the other in space and time,
// among those that have theirs: it finds where a robot has to wait, go back or step
// aside, which no small change of a path does. A robot that finds no way comes first
// in the next attempt, and all that it met begin again. It returns nil when no order
// works. Roadmaps beyond so many bytes are not kept but made again for every order.
func (t Task) StepAside(ctx context.Context, paths [][]geom.Vec2, who []int, bytes int64) [][]geom.Vec2 {
	for _, spacing := range asideSpacings {
		order, roads := append([]int(nil), who...), &roads{known: make([]*roadmap, len(paths)), room: memory.Room{Left: bytes}}
		for attempt := range asideAttempts {
			hold := asideHolds[attempt%len(asideHolds)] * float64(len(paths[0])-1)
			found, failed := t.travelInOrder(ctx, paths, roads, order, spacing, int(hold))
			if failed < 0 || ctx.Err() != nil {
				return found
			}
			if failed == 0 && hold == 0 {
				break // even with nobody in its way
			}
			first := order[failed]
			copy(order[1:failed+1], order[:failed])
			order[0] = first
		}
	}
	return nil
}

// travelInOrder returns paths, or the position in the order of the robot that has no
// way.
func (t Task) travelInOrder(ctx context.Context, paths [][]geom.Vec2, roads *roads, order []int, spacing float64, hold int) (found [][]geom.Vec2, failed int) {
	found = append([][]geom.Vec2(nil), paths...)
	placed := make([]bool, len(paths))
	for i := range placed {
		placed[i] = true
	}
	for _, i := range order {
		placed[i] = false
	}
	for at, i := range order {
		wait := hold
		if at == len(order)-1 {
			wait = 0
		}
		per := t.waypointsOfMove(i, spacing)
		road := roads.of(i, func() *roadmap { return t.roadmapOf(paths[i], i, spacing, per) })
		path := t.travel(found, placed, i, road, per, wait)
		if path == nil || ctx.Err() != nil {
			return nil, at
		}
		found[i], placed[i] = path, true
	}
	return found, -1
}

// roads are the roadmaps of robots that are kept, as far as there is room.
type roads struct {
	known []*roadmap
	room  memory.Room
}

// of returns the roadmap of robot i, which lay lays.
func (r *roads) of(i int, lay func() *roadmap) *roadmap {
	if r.known[i] != nil {
		return r.known[i]
	}
	road := lay()
	if r.room.Take(road.bytes()) {
		r.known[i] = road
	}
	return road
}

// travel returns a way of robot i among those that have theirs, on moves of so many
// waypoints.
func (t Task) travel(paths [][]geom.Vec2, placed []bool, i int, road *roadmap, per, wait int) []geom.Vec2 {
	last := len(paths[i]) - 1
	if per > last {
		return nil
	}
	moving := make([]bool, len(placed))
	for j := range placed {
		moving[j] = !placed[j]
	}
	s := &traveller{road: road, last: last, per: per, wait: wait, others: t.companions(paths, moving, i)}
	return s.travel()
}

// latticeStep returns the spacing of the lattice of robot i, given in its radii.
func (t Task) latticeStep(i int, spacing float64) float64 {
	size := t.Map.Bounds.Size()
	return max(spacing*t.Disks[i].Radius, math.Sqrt(size.X*size.Y/asidePlaces))
}

// waypointsOfMove returns the number of waypoints that robot i needs for a move on its
// lattice.
func (t Task) waypointsOfMove(i int, spacing float64) int {
	fast := evenly * t.Disks[i].Step
	return int(min(max(1, math.Ceil(shortestReach*t.latticeStep(i, spacing)/fast)), math.MaxInt32))
}

// roadmapOf returns the lattice of robot i between the ends of its path, whose moves take
// so many waypoints.
func (t Task) roadmapOf(path []geom.Vec2, i int, spacing float64, per int) *roadmap {
	r, step := t.Disks[i], t.latticeStep(i, spacing)
	reach := max(shortestReach*step, min(evenly*r.Step*float64(per), longestReach*step))
	start, goal := path[0], path[len(path)-1]
	road := newRoadmap(t.Map, asideRoom*r.Radius+t.Margin, r.Radius, step, reach, nil, start, goal)
	if road.joined() {
		return road
	}
	via := pointsAlong(t.Round(r, start, goal), step)
	return newRoadmap(t.Map, asideRoom*r.Radius+t.Margin, r.Radius, step, reach, via, start, goal)
}

// pointsAlong returns points on a way, at most so far from each other, without its ends.
func pointsAlong(way []geom.Vec2, step float64) []geom.Vec2 {
	var out []geom.Vec2
	for k := 1; k < len(way); k++ {
		pieces := math.Ceil(way[k].Dist(way[k-1]) / step)
		for n := 1.0; n <= pieces; n++ {
			out = append(out, way[k-1].Lerp(way[k], n/pieces))
		}
	}
	return out[:max(len(out)-1, 0)]
}

// companions returns those on fixed paths that robot i keeps away from: all others but
// those who are moving, and traffic.
func (t Task) companions(paths [][]geom.Vec2, moving []bool, i int) (out []companion) {
	for j, path := range paths {
		if j != i && !moving[j] {
			out = append(out, companion{Course{Path: path}, t.passingDistance(paths, i, j), t.late()})
		}
	}
	for _, m := range t.Traffic {
		out = append(out, companion{m.Course, t.Disks[i].Radius + m.Radius + t.Margin, t.late()})
	}
	return out
}

// passingDistance returns the distance that two robots keep on searched ways, which their
// ends may not have.
func (t Task) passingDistance(paths [][]geom.Vec2, i, j int) float64 {
	last := len(paths[i]) - 1
	need := asideRoom*(t.Disks[i].Radius+t.Disks[j].Radius) + t.Margin
	ends := min(paths[i][0].Dist(paths[j][0]), paths[i][last].Dist(paths[j][last]))
	return min(need, ends*(1-1e-9))
}
