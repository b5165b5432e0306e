package nav2d

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Polygon is a convex obstacle, its corners in order round it, either way.
type Polygon struct {
	Points [][]float64 `yaml:"points"`
}

// corners returns the corners counter-clockwise.
func (p Polygon) corners() geom.Polygon {
	var out geom.Polygon
	for _, v := range p.Points {
		out = append(out, point(v))
	}
	if out.Area() < 0 {
		slices.Reverse(out)
	}
	return out
}

// solid returns the obstacle on the map.
func (p Polygon) solid(f Frame) geom.Solid {
	core := p.corners()
	for i, v := range core {
		core[i] = f.ToMap(v)
	}
	return geom.Convex{Core: core}
}

// solid returns the obstacle on the map: turned ones are those within their radius of
// a smaller rectangle.
func (b Box) solid(f Frame) geom.Solid {
	center, size, radius := f.ToMap(point(b.Center)), point(b.Size).Scale(1/f.Scale), b.Radius/f.Scale
	if math.Mod(b.Angle, 360) == 0 {
		return geom.RoundedBox{Center: center, Size: size, Radius: radius}
	}
	angle := b.Angle * math.Pi / 180
	inner := geom.Vec2{X: max(size.X-2*radius, 0), Y: max(size.Y-2*radius, 0)}
	core := geom.Rectangle(center, inner, angle)
	switch {
	case inner.X == 0 && inner.Y == 0:
		core = geom.Polygon{center}
	case inner.Y == 0:
		core = geom.Polygon{core[0], core[1]}
	case inner.X == 0:
		core = geom.Polygon{core[0], core[3]}
	}
	return geom.Convex{Core: core, Radius: radius}
}

// maxCorners bounds the corners of a polygon.
const maxCorners = 32

// checkSolids finds values of polygons and turned boxes that make no sense.
func (s *Scene) checkSolids(c *sceneCheck) {
	for i, b := range s.Boxes {
		c.number(fmt.Sprintf("boxes[%d].angle", i), b.Angle, -360, 360, "degrees from -360 to 360")
	}
	for i, p := range s.Polygons {
		key := fmt.Sprintf("polygons[%d].points", i)
		ok := len(p.Points) <= maxCorners
		for k, v := range p.Points {
			ok = ok && c.point(fmt.Sprintf("%s[%d]", key, k), v, false)
		}
		if !ok || !p.corners().IsConvex() {
			c.value(key, fmt.Sprintf("%d points", len(p.Points)), fmt.Sprintf("3 to %d corners of a convex polygon in order", maxCorners))
		}
	}
}
