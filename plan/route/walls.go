package route

import (
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// walls are the obstacles of a map for the question whether straight ways keep a distance
// from them.
type walls []wall

type wall struct {
	geom.Convex
	box geom.Box
}

// wallsOf returns the obstacles of a map.
func wallsOf(m *nav2d.Map) (out walls) {
	for _, o := range m.Obstacles {
		if c, ok := geom.ConvexOf(o); ok {
			out = append(out, wall{c, c.Bounds()})
		}
	}
	return out
}

// apart reports whether a straight way keeps a distance from all of them.
func (w walls) apart(distance float64, a, b geom.Vec2) bool {
	for _, o := range w {
		box := o.box.Grow(distance)
		if max(a.X, b.X) < box.Min.X || min(a.X, b.X) > box.Max.X || max(a.Y, b.Y) < box.Min.Y || min(a.Y, b.Y) > box.Max.Y {
			continue
		}
		if gap, _ := gaps.Segment(o.Convex, geom.Segment{A: a, B: b}, 0); gap < distance*(1-1e-9) {
			return false
		}
	}
	return true
}
