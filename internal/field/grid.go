package field

import (
	"math"
	"sync/atomic"

	"github.com/go-pcd/pcd/geom"
)

// Grid is a signed distance field sampled at the nodes of a regular grid and
// looked up without interpolation: value and gradient are constant in a cell.
// All of its arithmetic is float32.
//
// With n nodes on an axis that runs from lo to hi, node k stands at
// lo + k (hi-lo)/(n-1), and the cell of x is floor((x-lo)/(hi-lo) n), clamped to
// 0 … n-1. Nodes and cells differ by up to one cell on purpose: this is the
// lookup behind the published navigation results.
//
// A node is sampled when it is first looked up: of the grid of a scene that changes, most
// are not. Safe for concurrent use.
type Grid struct {
	nx, ny int
	lo     [2]float32
	size   [2]float32
	sample func(i, j int) (d, gx, gy float32)
	cells  []cell // x-major: the cell (i, j) is cells[i*ny+j]
}

// cell holds the bits of the float32 numbers of a node. The distance is written last; while
// its bits are zero the node counts as not sampled, also where it is at distance 0.
type cell struct{ d, gx, gy atomic.Uint32 }

// NewGrid samples the signed distance of s, capped at limit, at nx times ny
// nodes over bounds. Where the cap applies the gradient is zero.
func NewGrid(bounds geom.Box, nx, ny int, s geom.Solid, limit float64) *Grid {
	at := func(k, n int, lo, size float64) float64 { return node(float32(lo), float32(size), k, n) }
	side := bounds.Size()
	return Tabulate(bounds, nx, ny, func(i, j int) (d, gx, gy float32) {
		v, grad := s.SignedDistance(geom.Vec2{X: at(i, nx, bounds.Min.X, side.X), Y: at(j, ny, bounds.Min.Y, side.Y)})
		if v > limit {
			v, grad = limit, geom.Vec2{}
		}
		return float32(v), float32(grad.X), float32(grad.Y)
	})
}

// Tabulate returns a grid over bounds whose node (i, j) has the distance and
// gradient that a function gives: always the same, also to several goroutines.
func Tabulate(bounds geom.Box, nx, ny int, at func(i, j int) (d, gx, gy float32)) *Grid {
	size := bounds.Size()
	return &Grid{
		nx: nx, ny: ny,
		lo:     [2]float32{float32(bounds.Min.X), float32(bounds.Min.Y)},
		size:   [2]float32{float32(size.X), float32(size.Y)},
		sample: at,
		cells:  make([]cell, nx*ny),
	}
}

// Node returns the position of a node, a float32 point.
func (g *Grid) Node(i, j int) geom.Vec2 {
	return geom.Vec2{X: node(g.lo[0], g.size[0], i, g.nx), Y: node(g.lo[1], g.size[1], j, g.ny)}
}

func node(lo, size float32, k, n int) float64 {
	return float64(float32(float64(lo) + float64(size)*float64(k)/float64(n-1)))
}

// At returns the distance at a point and its gradient.
func (g *Grid) At(x, y float32) (d, gx, gy float32) {
	i, j := g.Cell(x, y)
	c := &g.cells[i*g.ny+j]
	if bits := c.d.Load(); bits != 0 {
		return math.Float32frombits(bits), math.Float32frombits(c.gx.Load()), math.Float32frombits(c.gy.Load())
	}
	d, gx, gy = g.sample(i, j)
	c.gx.Store(math.Float32bits(gx))
	c.gy.Store(math.Float32bits(gy))
	c.d.Store(math.Float32bits(d))
	return d, gx, gy
}

// Distance returns the distance at a point.
func (g *Grid) Distance(x, y float32) float32 {
	d, _, _ := g.At(x, y)
	return d
}

// Cell returns the indices of the cell that a point is looked up in.
func (g *Grid) Cell(x, y float32) (i, j int) {
	return g.index(x, 0, g.nx), g.index(y, 1, g.ny)
}

// index clamps before it converts, so that far-away points and NaN, which goes
// to cell 0, cannot overflow.
func (g *Grid) index(x float32, axis, n int) int {
	f := (x - g.lo[axis]) / g.size[axis] * float32(n)
	if !(f > 0) {
		return 0
	}
	if f >= float32(n) {
		return n - 1
	}
	return int(math.Floor(float64(f)))
}
