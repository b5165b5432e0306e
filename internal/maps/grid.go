package maps

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// The states of cells. Between 0 and 100 lie those that are neither surely free nor
// surely occupied.
const (
	Free     int8 = 0
	Occupied int8 = 100
	Unknown  int8 = -1
)

// Grid is a map of square cells. Cell (i, j), of column i and row j, has the state
// Cells[j*Width+i]; row 0 is the lowest. Its lower left corner lies at
// Origin + R(Yaw) (i, j) Resolution.
type Grid struct {
	Width, Height int
	Resolution    float64   // side of a cell
	Origin        geom.Vec2 // the lower left corner of cell (0, 0)
	Yaw           float64   // of the grid, counter-clockwise in radians
	Cells         []int8
}

// Corner returns the lower left corner of cell (i, j) in the world.
func (g *Grid) Corner(i, j int) geom.Vec2 {
	return g.at(float64(i)*g.Resolution, float64(j)*g.Resolution)
}

// Center returns the middle of cell (i, j) in the world.
func (g *Grid) Center(i, j int) geom.Vec2 {
	return g.at((float64(i)+0.5)*g.Resolution, (float64(j)+0.5)*g.Resolution)
}

// at maps from the frame of the grid to the world.
func (g *Grid) at(x, y float64) geom.Vec2 {
	sin, cos := g.turn()
	return geom.Vec2{X: g.Origin.X + (cos*x - sin*y), Y: g.Origin.Y + (sin*x + cos*y)}
}

// turn returns sine and cosine of the yaw. Those of right angles, which files give with
// all digits that a number has, are exact: walls along the axes stay along them.
func (g *Grid) turn() (sin, cos float64) {
	sin, cos = math.Sincos(g.Yaw)
	const rounding = 0x1p-50
	if math.Abs(sin) < rounding {
		return 0, math.Copysign(1, cos)
	}
	if math.Abs(cos) < rounding {
		return math.Copysign(1, sin), 0
	}
	return sin, cos
}

// corners returns those of the whole grid, counter-clockwise.
func (g *Grid) corners() geom.Polygon {
	return geom.Polygon{g.Corner(0, 0), g.Corner(g.Width, 0), g.Corner(g.Width, g.Height), g.Corner(0, g.Height)}
}

// setPad sets the pad to what bounds the rounding of all corners.
func (m *Map) setPad() {
	b := m.Bounds
	for _, o := range m.Obstacles {
		b = b.Join(boundsOf(o))
	}
	m.Pad = padOf(b)
}

// padOf bounds the rounding of coordinates within a box: four units in the last place of
// the largest, twice over.
func padOf(b geom.Box) float64 {
	return 0x1p-50 * gaps.Extent(b)
}

// boundsOf returns the box around some points.
func boundsOf(points geom.Polygon) geom.Box {
	return geom.Convex{Core: points}.Bounds()
}

// blocked says which cells are obstacles.
func (g *Grid) blocked(unknown bool) []bool {
	out := make([]bool, len(g.Cells))
	for k, c := range g.Cells {
		out[k] = c > 0 || c < 0 && unknown
	}
	return out
}

// Count returns how many cells are free, occupied, unknown and in between.
func (g *Grid) Count() (free, occupied, unknown, between int) {
	for _, c := range g.Cells {
		switch {
		case c == Free:
			free++
		case c == Occupied:
			occupied++
		case c < 0:
			unknown++
		default:
			between++
		}
	}
	return free, occupied, unknown, between
}

// gridMap returns the map of a grid: its blocked cells in rectangles and, where the grid
// is turned, what lies in its bounds and outside of it.
func gridMap(kind Kind, units string, g *Grid, unknown bool) *Map {
	m := &Map{Kind: kind, Units: units, Bounds: boundsOf(g.corners()), Pad: padOf(boundsOf(g.corners())), Grid: g}
	for _, r := range Rectangles(g.blocked(unknown), g.Width) {
		m.Obstacles = append(m.Obstacles, geom.Polygon{g.Corner(r.Left, r.Low), g.Corner(r.Right, r.Low), g.Corner(r.Right, r.Top), g.Corner(r.Left, r.Top)})
	}
	if sin, cos := g.turn(); sin != 0 && cos != 0 {
		m.Obstacles = append(m.Obstacles, outside(m.Bounds, g.corners())...)
	}
	return m
}

// outside returns the triangles that a turned rectangle leaves of the box around it.
func outside(b geom.Box, turned geom.Polygon) (out []geom.Polygon) {
	corners := geom.Polygon{b.Min, {X: b.Max.X, Y: b.Min.Y}, b.Max, {X: b.Min.X, Y: b.Max.Y}}
	for k, p := range turned {
		q := turned[(k+1)%4]
		for _, c := range corners {
			if t := (geom.Polygon{q, p, c}); t.Area() > 0 {
				out = append(out, t)
				break
			}
		}
	}
	return out
}
