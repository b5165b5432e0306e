// Package route finds paths of disks that move at the same time among convex obstacles and
// traffic, from waypoint to waypoint, straight in between: a roadmap for each disk, searches
// in space and time, one disk after the other or all together. It knows no model and draws
// no samples. Paths are free of contact at every moment, by exact distances in float64.
//
// [Find] goes from straight ways to the search of all ways together and stops where paths
// are found. The steps that it takes are there by themselves, for paths that exist already,
// such as samples: [Task.Reroute], [Task.Shift], [Task.StepAside], [Task.MoveTogether],
// [Task.MoveOverCells].
package route

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/memory"
)

// Options bound [Find]. The zero value will do.
type Options struct {
	Waypoints int    // of every path, 64 if left out
	Seed      uint64 // of the orders and moves that are tried
	Memory    int64  // bytes that a search may take; 0 is a quarter of the machine's
}

// defaultWaypoints is the number of waypoints where none is given.
const defaultWaypoints = 64

// mostWaypoints is far more than any path has.
const mostWaypoints = 1 << 20

// NoPathError says why there are no paths.
type NoPathError struct {
	Disk          int  // that has no way even by itself; -1 where each has
	ShortOfMemory bool // a search would have taken more than it may

	waypoints int // that the straight way of the disk needs at least, where it has too few
}

func (e *NoPathError) Error() string {
	switch {
	case e.waypoints > 0:
		return fmt.Sprintf("route: no way for disk %d: from its start to its goal it needs %d waypoints or more, or longer steps", e.Disk, e.waypoints)
	case e.Disk >= 0:
		return fmt.Sprintf("route: no way for disk %d, even by itself", e.Disk)
	case e.ShortOfMemory:
		return "route: no paths found within the memory that a search may take"
	}
	return "route: no paths found: every disk has a way by itself, but none was found with so many waypoints past the others; more may help"
}

// Find returns paths of all disks from their starts to their goals, one point for each
// waypoint: free of contact at every moment, on steps that are not too long. The error is a
// [NoPathError] where it finds none, and that of the context where this ends. It may miss
// paths where there is little time or hardly any room.
func Find(ctx context.Context, t Task, o Options) ([][]geom.Vec2, error) {
	if o.Waypoints == 0 {
		o.Waypoints = defaultWaypoints
	}
	if o.Memory == 0 {
		o.Memory = memory.Machine() / 4
	}
	if err := t.check(o); err != nil {
		return nil, err
	}
	paths, err := t.alone(o.Waypoints)
	if err != nil {
		return nil, err
	}
	everybody := make([]int, len(paths))
	for i := range everybody {
		everybody[i] = i
	}
	full := false
	for _, search := range []func() [][]geom.Vec2{
		func() [][]geom.Vec2 { return paths },
		func() [][]geom.Vec2 { return t.Shift(paths, everybody, o.Seed) },
		func() [][]geom.Vec2 { return t.StepAside(ctx, paths, everybody, o.Memory) },
		func() (found [][]geom.Vec2) {
			found, full = t.MoveTogether(ctx, paths, everybody, o.Seed, o.Memory)
			return found
		},
	} {
		found := search()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if found != nil && t.Troubled(found) == nil && t.tooFast(found) == nil {
			return found, nil
		}
	}
	return nil, &NoPathError{Disk: -1, ShortOfMemory: full}
}

// check returns an error for what makes no sense.
func (t Task) check(o Options) error {
	switch {
	case len(t.Disks) == 0:
		return fmt.Errorf("route: no disks")
	case t.Map == nil:
		return fmt.Errorf("route: no map")
	case o.Waypoints < 2 || o.Waypoints > mostWaypoints:
		return fmt.Errorf("route: %d waypoints, want 2 to %d", o.Waypoints, mostWaypoints)
	case !(t.Margin >= 0) || math.IsInf(t.Margin, 0):
		return fmt.Errorf("route: the margin is %v, want 0 or more", t.Margin)
	}
	for i, d := range t.Disks {
		if !(d.Radius > 0) || math.IsInf(d.Radius, 0) || !(d.Step > 0) {
			return fmt.Errorf("route: disk %d has the radius %v and steps of up to %v, want positive numbers", i, d.Radius, d.Step)
		}
		if !d.Start.IsFinite() || !d.Goal.IsFinite() {
			return fmt.Errorf("route: disk %d goes from %v to %v, want finite numbers", i, d.Start, d.Goal)
		}
	}
	for k, b := range t.Traffic {
		if len(b.Course.Path) != o.Waypoints {
			return fmt.Errorf("route: the course of traffic %d has %d waypoints, the paths %d", k, len(b.Course.Path), o.Waypoints)
		}
		if err := b.check(); err != nil {
			return fmt.Errorf("route: traffic %d: %w", k, err)
		}
	}
	return nil
}

// check returns an error for numbers that no body has: nothing would touch it.
func (b Body) check() error {
	if !(b.Radius >= 0) || math.IsInf(b.Radius, 0) {
		return fmt.Errorf("the radius is %v, want 0 or more", b.Radius)
	}
	for h, p := range b.Course.Path {
		if !p.IsFinite() {
			return fmt.Errorf("waypoint %d is %v, want finite numbers", h, p)
		}
	}
	for i, turn := range b.Course.Turns {
		if !turn.Point.IsFinite() || math.IsNaN(turn.At) || math.IsInf(turn.At, 0) {
			return fmt.Errorf("turn %d is at %v to %v, want finite numbers", i, turn.At, turn.Point)
		}
	}
	return nil
}

// alone returns the shortest way of every disk as if there were no other, walked evenly.
func (t Task) alone(waypoints int) ([][]geom.Vec2, error) {
	paths := make([][]geom.Vec2, len(t.Disks))
	for i, d := range t.Disks {
		if least := math.Ceil(d.Start.Dist(d.Goal)/d.Step*(1-1e-9)) + 1; least > float64(waypoints) {
			return nil, &NoPathError{Disk: i, waypoints: int(min(least, math.MaxInt32))}
		}
		way := t.Round(d, d.Start, d.Goal)
		if way == nil {
			return nil, &NoPathError{Disk: i}
		}
		path := make([]geom.Vec2, waypoints)
		path[0], path[waypoints-1] = d.Start, d.Goal
		for h := 1; h < waypoints-1; h++ {
			path[h] = d.Start
		}
		walk(path, way)
		paths[i] = path
	}
	return paths, nil
}
