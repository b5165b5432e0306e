package field

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Index looks solids up by place: what a question costs grows with what is near, not with
// all of them. It is read-only after [NewIndex] and safe for concurrent use.
//
// Solids lie in the cells of a regular grid, of which there are about as many as solids.
// Those that have no convex form are in none, and are always looked at.
type Index struct {
	solids  []geom.Solid
	boxes   []geom.Box
	outside []int32 // solids that are in no cell
	grid    geom.Box
	side    geom.Vec2 // of a cell
	nx, ny  int
	first   []int32 // of the entries of each cell, and one more
	entries []int32 // solids, ascending within a cell
}

// maxEntries bounds the entries of cells, as a multiple of the solids: of fewer and larger
// cells there are fewer.
const maxEntries = 8

// NewIndex returns the index of some solids, which must not change after.
func NewIndex(solids []geom.Solid) *Index {
	x := &Index{solids: solids, boxes: make([]geom.Box, len(solids))}
	x.grid = geom.Box{Min: geom.Vec2{X: math.Inf(1), Y: math.Inf(1)}, Max: geom.Vec2{X: math.Inf(-1), Y: math.Inf(-1)}}
	for i, s := range solids {
		if b, ok := boundsOf(s); ok {
			x.boxes[i] = b.Grow(0x1p-40 * (math.Abs(b.Min.X) + math.Abs(b.Min.Y) + math.Abs(b.Max.X) + math.Abs(b.Max.Y)))
			x.grid = x.grid.Join(x.boxes[i])
			continue
		}
		x.boxes[i] = geom.Box{Min: geom.Vec2{X: math.Inf(-1), Y: math.Inf(-1)}, Max: geom.Vec2{X: math.Inf(1), Y: math.Inf(1)}}
		x.outside = append(x.outside, int32(i))
	}
	for n := len(solids) - len(x.outside); n > 0; n /= 4 {
		if x.fill(n) {
			break
		}
	}
	return x
}

// boundsOf returns the box around a solid, if it is known and finite.
func boundsOf(s geom.Solid) (b geom.Box, ok bool) {
	c, ok := geom.ConvexOf(s)
	if !ok || len(c.Core) == 0 {
		return b, false
	}
	b = c.Bounds()
	return b, b.Min.IsFinite() && b.Max.IsFinite()
}

// fill enters the solids into about so many cells; it returns false when they are in too
// many.
func (x *Index) fill(cells int) bool {
	size := x.grid.Size()
	side := max(math.Sqrt(size.X*size.Y/float64(cells)), max(size.X, size.Y)/float64(cells), math.SmallestNonzeroFloat64)
	x.nx, x.ny = 1+int(min(size.X/side, float64(cells))), 1+int(min(size.Y/side, float64(cells)))
	x.side = geom.Vec2{X: size.X / float64(x.nx), Y: size.Y / float64(x.ny)}
	count := make([]int32, x.nx*x.ny+1)
	total := 0
	for i := range x.solids {
		x.cellsOf(x.boxes[i], i, func(c int) { count[c+1]++; total++ })
		if cells > 1 && total > maxEntries*len(x.solids) {
			return false
		}
	}
	for c := range x.nx * x.ny {
		count[c+1] += count[c]
	}
	x.first, x.entries = count, make([]int32, total)
	next := slices.Clone(count)
	for i := range x.solids {
		x.cellsOf(x.boxes[i], i, func(c int) { x.entries[next[c]] = int32(i); next[c]++ })
	}
	return true
}

// cellsOf calls f for every cell that the box of a solid meets; not for solids without one.
func (x *Index) cellsOf(b geom.Box, i int, f func(cell int)) {
	if math.IsInf(b.Min.X, -1) {
		return
	}
	left, low := x.cell(b.Min)
	right, top := x.cell(b.Max)
	for cx := left; cx <= right; cx++ {
		for cy := low; cy <= top; cy++ {
			f(cx*x.ny + cy)
		}
	}
}

// cell returns the cell of a point, or the nearest one.
func (x *Index) cell(p geom.Vec2) (cx, cy int) {
	at := func(v, low, side float64, n int) int {
		f := (v - low) / side
		if !(f > 0) {
			return 0
		}
		return int(min(f, float64(n-1)))
	}
	return at(p.X, x.grid.Min.X, x.side.X, x.nx), at(p.Y, x.grid.Min.Y, x.side.Y, x.ny)
}

// SignedDistance implements [geom.Solid] for the union of the solids: the same number and
// gradient as [geom.Union] gives.
func (x *Index) SignedDistance(p geom.Vec2) (float64, geom.Vec2) {
	n := nearest{index: x, p: p, best: math.Inf(1), who: -1}
	for _, i := range x.outside {
		n.try(int(i))
	}
	if x.nx == 0 {
		return n.best, n.grad
	}
	cx, cy := x.cell(p)
	for ring := 0; ring < max(x.nx, x.ny); ring++ {
		if ring > 0 && x.room(p, cx, cy, ring-1) > n.best {
			break
		}
		for i := max(cx-ring, 0); i <= min(cx+ring, x.nx-1); i++ {
			if i == cx-ring || i == cx+ring {
				for j := max(cy-ring, 0); j <= min(cy+ring, x.ny-1); j++ {
					n.cell(i*x.ny + j)
				}
				continue
			}
			if j := cy - ring; j >= 0 {
				n.cell(i*x.ny + j)
			}
			if j := cy + ring; j < x.ny {
				n.cell(i*x.ny + j)
			}
		}
	}
	return n.best, n.grad
}

// room bounds from below how far what lies beyond some rings of cells is from a point:
// the nearest side of the block of cells that has others behind it, less rounding.
func (x *Index) room(p geom.Vec2, cx, cy, ring int) float64 {
	d := math.Inf(1)
	if i := cx - ring; i > 0 {
		d = min(d, p.X-(x.grid.Min.X+float64(i)*x.side.X))
	}
	if i := cx + ring + 1; i < x.nx {
		d = min(d, x.grid.Min.X+float64(i)*x.side.X-p.X)
	}
	if j := cy - ring; j > 0 {
		d = min(d, p.Y-(x.grid.Min.Y+float64(j)*x.side.Y))
	}
	if j := cy + ring + 1; j < x.ny {
		d = min(d, x.grid.Min.Y+float64(j)*x.side.Y-p.Y)
	}
	return d - 0x1p-40*(math.Abs(p.X)+math.Abs(p.Y)+math.Abs(x.grid.Min.X)+math.Abs(x.grid.Min.Y)+x.grid.Size().X+x.grid.Size().Y)
}

// nearest is a question for the nearest solid in progress.
type nearest struct {
	index *Index
	p     geom.Vec2
	best  float64
	grad  geom.Vec2
	who   int
}

func (n *nearest) cell(c int) {
	for _, i := range n.index.entries[n.index.first[c]:n.index.first[c+1]] {
		if below(n.index.boxes[i], n.p) <= n.best {
			n.try(int(i))
		}
	}
}

// try looks at a solid; of equally near ones the first is taken.
func (n *nearest) try(i int) {
	if d, g := n.index.solids[i].SignedDistance(n.p); d < n.best || d == n.best && i < n.who {
		n.best, n.grad, n.who = d, g, i
	}
}

// below bounds from below how far a point is from what is in a box: minus infinity
// within it.
func below(b geom.Box, p geom.Vec2) float64 {
	dx, dy := max(b.Min.X-p.X, p.X-b.Max.X), max(b.Min.Y-p.Y, p.Y-b.Max.Y)
	switch {
	case dx > 0 && dy > 0:
		return math.Hypot(dx, dy) * (1 - 0x1p-40)
	case dx > 0 || dy > 0:
		return max(dx, dy) * (1 - 0x1p-40)
	}
	return math.Inf(-1)
}

// Near appends the numbers of the solids whose boxes meet a box to dst, ascending, and
// returns it.
func (x *Index) Near(dst []int, b geom.Box) []int {
	begin := len(dst)
	for _, i := range x.outside {
		dst = append(dst, int(i))
	}
	if x.nx > 0 {
		left, low := x.cell(b.Min)
		right, top := x.cell(b.Max)
		for cx := left; cx <= right; cx++ {
			for _, i := range x.entries[x.first[cx*x.ny+low]:x.first[cx*x.ny+top+1]] {
				if s := x.boxes[i]; s.Min.X <= b.Max.X && b.Min.X <= s.Max.X && s.Min.Y <= b.Max.Y && b.Min.Y <= s.Max.Y {
					dst = append(dst, int(i))
				}
			}
		}
	}
	slices.Sort(dst[begin:])
	return dst[:begin+len(slices.Compact(dst[begin:]))]
}
