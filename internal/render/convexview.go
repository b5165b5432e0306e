package render

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// convexOutline returns the border of a convex region: the corners of its core pushed
// out by the radius, with arcs in between.
func convexOutline(c geom.Convex) [][2]float64 {
	n := len(c.Core)
	if n == 1 {
		return rounded(geom.Box{Min: c.Core[0], Max: c.Core[0]}.Grow(c.Radius), c.Radius)
	}
	var out [][2]float64
	for i, v := range c.Core {
		from, to := outwards(c.Core[(i+n-1)%n], v), outwards(v, c.Core[(i+1)%n])
		turn := math.Mod(to-from+4*math.Pi, 2*math.Pi)
		for k := range cornerPieces + 1 {
			a := from + turn*float64(k)/cornerPieces
			out = append(out, [2]float64{v.X + c.Radius*math.Cos(a), v.Y + c.Radius*math.Sin(a)})
			if c.Radius == 0 {
				break
			}
		}
	}
	return out
}

// outwards returns the angle of the normal of an edge, to its right.
func outwards(a, b geom.Vec2) float64 {
	n := b.Sub(a).Perp().Scale(-1)
	return math.Atan2(n.Y, n.X)
}
