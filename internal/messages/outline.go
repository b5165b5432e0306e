package messages

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// corners is how many a full circle has.
const corners = 64

// outline returns a polygon around a region, which covers it: round corners are cut into short
// sides that touch them. Corners run counter-clockwise.
func outline(c geom.Convex) geom.Polygon {
	if c.Radius == 0 {
		return c.Core
	}
	var out geom.Polygon
	for k, v := range c.Core {
		from, to := -math.Pi, math.Pi
		if n := len(c.Core); n > 1 {
			before, after := c.Core[(k+n-1)%n], c.Core[(k+1)%n]
			in, leave := v.Sub(before), after.Sub(v)
			from, to = math.Atan2(-in.X, in.Y), math.Atan2(-leave.X, leave.Y) // normals to the right
			if to < from-1e-12 {
				to += 2 * math.Pi
			}
		}
		// Corners lie on the outer circle half a side beyond both ends, so that the sides at
		// the ends lie on those of the region or outside.
		n := max(1, int(math.Ceil((to-from)/(2*math.Pi/corners))))
		step := (to - from) / float64(n)
		outer := c.Radius / math.Cos(step/2)
		for j := range n {
			s, cos := math.Sincos(from + (float64(j)+0.5)*step)
			out = append(out, v.Add(geom.Vec2{X: outer * cos, Y: outer * s}))
		}
	}
	return out
}
