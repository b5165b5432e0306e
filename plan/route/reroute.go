package route

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// Margins of new ways in radii, from comfortable to bare: the first that leaves a
// way is taken.
var routeMargins = [...]float64{1.5, 1.2, 1.02}

// deep is the overlap with an obstacle, in radii, from which a path is led round it
// anew; less is left to the repair.
const deep = 0.25

// Reroute replaces the parts of a path in map units that run deep into obstacles by
// shortest ways round them, walked at an even speed in the time that the part had. A
// part grows at both ends until the robot can walk its way in time. The report is
// false when nothing had to be changed or there is no way.
func (t Task) Reroute(r Disk, path []geom.Vec2) bool {
	changed := false
	for from := 1; from < len(path); from++ {
		if !t.runsDeep(r, path, from) {
			continue
		}
		to := from
		for to+1 < len(path) && t.runsDeep(r, path, to+1) {
			to++
		}
		if !t.leadRound(r, path, from-1, to) {
			return changed
		}
		changed = true
	}
	return changed
}

// runsDeep reports whether the segment that ends at waypoint h is deep in an
// obstacle.
func (t Task) runsDeep(r Disk, path []geom.Vec2, h int) bool {
	s := geom.Segment{A: path[h-1], B: path[h]}
	for _, o := range t.Map.Near(nil, (geom.Convex{Core: geom.Polygon{s.A, s.B}, Radius: r.Radius}).Bounds()) {
		c, ok := geom.ConvexOf(t.Map.Obstacles[o])
		if !ok {
			return false
		}
		if gap, _ := gaps.Segment(c, s, r.Radius); gap < -deep*r.Radius {
			return true
		}
	}
	return false
}

// leadRound replaces the waypoints between a and b, or of a longer part, by a way
// round obstacles.
func (t Task) leadRound(r Disk, path []geom.Vec2, a, b int) bool {
	step := r.Step
	for grow := 0; ; grow += 1 + grow/2 {
		lo, hi := max(a-grow, 0), min(b+grow, len(path)-1)
		whole := lo == 0 && hi == len(path)-1
		way := t.Round(r, path[lo], path[hi])
		inTime := way != nil && geom.Length(way) <= evenly*step*float64(hi-lo)
		if way != nil && whole || inTime && geom.Length(way) <= detour*path[lo].Dist(path[hi]) {
			walk(path[lo:hi+1], way)
			return true
		}
		if whole {
			return false
		}
	}
}

// detour is how much longer than straight the new way of a part may be, unless the
// part is the whole path: longer ones turn back on themselves at the obstacle.
const detour = 1.5

// evenly is the share of the speed limit at which new ways are walked at most.
const evenly = 0.9

// Round returns the corners of a way from a to b, nil if either is not free.
func (t Task) Round(r Disk, a, b geom.Vec2) []geom.Vec2 {
	for _, margin := range routeMargins {
		if way := t.Map.Route(margin*r.Radius+t.Margin, t.Map.Bounds.Grow(-r.Radius), a, b); way != nil {
			return way
		}
	}
	return t.Map.Route(r.Radius+t.Margin, t.Map.Bounds, a, b)
}

// walk spreads the points of path evenly along a way, which joins its ends.
func walk(path []geom.Vec2, way []geom.Vec2) {
	total := geom.Length(way)
	if total == 0 || math.IsInf(total, 0) {
		return
	}
	corner, done := 1, 0.0 // the part of the way before way[corner-1]
	for h := 1; h < len(path)-1; h++ {
		at := total * float64(h) / float64(len(path)-1)
		for corner < len(way)-1 && done+way[corner].Dist(way[corner-1]) < at {
			done += way[corner].Dist(way[corner-1])
			corner++
		}
		leg := way[corner].Dist(way[corner-1])
		path[h] = way[corner-1].Lerp(way[corner], min((at-done)/max(leg, 1e-300), 1))
	}
}
