package render

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// The outline of a convex region lies on its border and encloses its area.
func TestConvexOutline(t *testing.T) {
	square := geom.Rectangle(geom.Vec2{X: 1, Y: 2}, geom.Vec2{X: 2, Y: 1}, 0.4)
	for name, c := range map[string]struct {
		c    geom.Convex
		area float64
	}{
		"disk":      {geom.Convex{Core: geom.Polygon{{X: 1}}, Radius: 0.5}, math.Pi / 4},
		"capsule":   {geom.Convex{Core: geom.Polygon{{}, {X: 2}}, Radius: 0.5}, 2 + math.Pi/4},
		"rectangle": {geom.Convex{Core: square}, 2},
		"rounded":   {geom.Convex{Core: square, Radius: 0.25}, 2 + 6*0.25 + math.Pi/16},
	} {
		var p geom.Polygon
		for _, v := range outline(c.c) {
			q := geom.Vec2{X: v[0], Y: v[1]}
			if d, _ := c.c.SignedDistance(q); math.Abs(d) > 1e-12 {
				t.Errorf("%s: %v is %v off the border", name, q, d)
			}
			p = append(p, q)
		}
		if a := p.Area(); a > c.area+1e-12 || a < 0.98*c.area {
			t.Errorf("%s: area %v, want %v", name, a, c.area)
		}
	}
}
