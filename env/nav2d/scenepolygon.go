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

// solid returns the obstacle on the map.
func (p Polygon) solid(f Frame) geom.Solid {
	core, _ := p.corners()
	for i, v := range core {
		core[i] = f.ToMap(v)
	}
	return geom.Convex{Core: core}
}

// corners returns the corners counter-clockwise, and the numbers that they have in the
// scene. Those that repeat the one before them, and those on a straight edge to rounding,
// are left out: they bound the same region.
func (p Polygon) corners() (out geom.Polygon, numbers []int) {
	extent := 0.0
	for k, v := range p.Points {
		extent = max(extent, math.Abs(v[0]), math.Abs(v[1]))
		out, numbers = append(out, point(v)), append(numbers, k)
	}
	for k := 0; k < len(out) && len(out) > 2; {
		n := len(out)
		before, at, after := out[(k+n-1)%n], out[k], out[(k+1)%n]
		a, b := at.Sub(before), after.Sub(at)
		repeats := a == (geom.Vec2{})
		straight := math.Abs(a.Cross(b)) <= 0x1p-50*extent*(a.Norm()+b.Norm()) && a.Dot(b) > 0
		if !repeats && !straight {
			k++
			continue
		}
		out, numbers = slices.Delete(out, k, k+1), slices.Delete(numbers, k, k+1)
		k = max(k-1, 0)
	}
	if out.Area() < 0 {
		slices.Reverse(out)
		slices.Reverse(numbers)
	}
	return out, numbers
}

// maxCorners bounds the corners of a polygon.
const maxCorners = 32

// check says what keeps a polygon from being a convex one, and at which corner.
func (p Polygon) check(c *sceneCheck, key string) {
	for k, v := range p.Points {
		if !c.point(fmt.Sprintf("%s[%d]", key, k), v, false) {
			return
		}
	}
	if n := len(p.Points); n < 3 || n > maxCorners {
		c.value(key, fmt.Sprintf("%d points", n), fmt.Sprintf("3 to %d corners of a convex polygon in order", maxCorners))
		return
	}
	core, numbers := p.corners()
	if len(core) < 3 || core.Area() == 0 && len(core) == 3 {
		c.value(key, fmt.Sprintf("%v", p.Points), "corners that are not all on one line")
		return
	}
	if a, b, crossed := crossing(core); crossed {
		c.value(key, fmt.Sprintf("%v", p.Points), fmt.Sprintf(
			"the corners of a convex polygon in order: the edges that begin at points[%d] and points[%d] cross", numbers[a], numbers[b]))
		return
	}
	for k := range core {
		if n := len(core); core[k].Sub(core[(k+n-1)%n]).Cross(core[(k+1)%n].Sub(core[k])) <= 0 {
			c.value(fmt.Sprintf("%s[%d]", key, numbers[k]), p.Points[numbers[k]],
				"a corner of a convex polygon: the outline is not convex there; cut it there into polygons that are")
			return
		}
	}
	if !core.IsConvex() {
		c.value(key, fmt.Sprintf("%v", p.Points), "the corners of a convex polygon in order: these go round more than once")
	}
}

// crossing returns the numbers of two edges that cross, each that of its first corner.
func crossing(p geom.Polygon) (a, b int, crossed bool) {
	edge := func(k int) geom.Segment { return geom.Segment{A: p[k], B: p[(k+1)%len(p)]} }
	for b := range p {
		for a := range b {
			if parts(edge(a), edge(b)) && parts(edge(b), edge(a)) {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// parts reports whether the ends of t lie on different sides of the line through s, none
// of them on it.
func parts(s, t geom.Segment) bool {
	along := s.B.Sub(s.A)
	return along.Cross(t.A.Sub(s.A))*along.Cross(t.B.Sub(s.A)) < 0
}
