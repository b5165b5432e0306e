package mmd

import "github.com/go-pcd/pcd/geom"

// conflictDistance is the distance of two robots below which they are in conflict,
// in mean radii of the pair.
const conflictDistance = 2.1

// conflict is a pair of robots that are too close at a waypoint.
type conflict struct {
	waypoint int
	a, b     int // a < b
	midpoint geom.Vec2
}

// Distance returns that of two robots below which they are in conflict.
func (t Team) Distance(i, j int) float64 { return conflictDistance * t.meanRadius(i, j) }

// meanRadius returns the mean radius of two robots. The published distances are
// multiples of the one radius that all robots have there.
func (t Team) meanRadius(i, j int) float64 { return (t[i].Radius + t[j].Radius) / 2 }

// conflicts lists the conflicts between paths, by waypoint and then by robots. A
// robot without a path is in none.
func (t Team) conflicts(paths [][]geom.Vec2) []conflict {
	var out []conflict
	for h := range waypoints(paths) {
		for a := range paths {
			for b := a + 1; b < len(paths); b++ {
				if paths[a] == nil || paths[b] == nil {
					continue
				}
				p, q := paths[a][h], paths[b][h]
				if p.Dist(q) < t.Distance(a, b) {
					out = append(out, conflict{waypoint: h, a: a, b: b, midpoint: p.Lerp(q, 0.5)})
				}
			}
		}
	}
	return out
}

// waypoints returns the number of waypoints of the robots that have a path.
func waypoints(paths [][]geom.Vec2) int {
	for _, p := range paths {
		if p != nil {
			return len(p)
		}
	}
	return 0
}

// conflictsOf returns the number of conflicts that robot i has with the others
// when it takes a path. It stops counting once there are limit.
func (t Team) conflictsOf(i int, path []geom.Vec2, paths [][]geom.Vec2, limit int) int {
	n := 0
	for j, other := range paths {
		if j == i || other == nil {
			continue
		}
		distance := t.Distance(i, j)
		for h, p := range path {
			if p.Dist(other[h]) < distance {
				n++
			}
		}
		if n >= limit {
			return n
		}
	}
	return n
}
