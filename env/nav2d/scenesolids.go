package nav2d

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

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

// checkSolids finds values of polygons and turned boxes that make no sense.
func (s *Scene) checkSolids(c *sceneCheck) {
	for i, b := range s.Boxes {
		c.number(fmt.Sprintf("boxes[%d].angle", i), b.Angle, -360, 360, "degrees from -360 to 360")
	}
	for i, p := range s.Polygons {
		p.check(c, fmt.Sprintf("polygons[%d].points", i))
	}
}
