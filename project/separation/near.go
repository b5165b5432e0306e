package separation

import (
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/sweep"
)

// nearPairs calls f for every pair i < j of which one is a robot and whose surfaces may
// be nearer than reach·(sum of their radii) + beyond on segment h.
func (w *World) nearPairs(s *sweep.Sweep, p *paths, h int, reach, beyond float64, f func(i, j int)) {
	s.Pairs(func(i int) geom.Box {
		return p.bounds(i, h).Grow(w.radius(i)*(1+reach) + beyond/2)
	}, func(i, j int) {
		if i < len(w.Robots) {
			f(i, j)
		}
	})
}
