package steer

import (
	"container/heap"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// distances are how far it is to the goal, round what is in the way, for who turns as he likes: on a grid
// whose cells count as free where any point of them may be.
type distances struct {
	bounds geom.Box
	cell   float64
	nx, ny int
	far    []float64
}

// finest is how many cells the grid has along the longer side at most.
const finest = 160

// distances returns the distances of a task.
func (t Task) distances() *distances {
	size := t.Bounds.Size()
	d := &distances{bounds: t.Bounds, cell: max(t.Size/4, max(size.X, size.Y)/finest)}
	d.nx, d.ny = int(size.X/d.cell)+1, int(size.Y/d.cell)+1
	d.far = make([]float64, d.nx*d.ny)
	for n := range d.far {
		d.far[n] = math.Inf(1)
	}
	goal := d.index(t.Goal)
	d.far[goal] = 0
	open := &cells{{goal, 0}}
	known := make([]int8, len(d.far)) // whether a cell is free: 1, is not: -1, or not looked at: 0
	for open.Len() > 0 {
		now := heap.Pop(open).(cell)
		if now.far > d.far[now.n] {
			continue
		}
		x, y := now.n%d.nx, now.n/d.nx
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if x+dx < 0 || x+dx >= d.nx || y+dy < 0 || y+dy >= d.ny {
					continue
				}
				n := (y+dy)*d.nx + x + dx
				far := now.far + d.cell*math.Hypot(float64(dx), float64(dy))
				if far >= d.far[n] {
					continue
				}
				if known[n] == 0 {
					known[n] = -1
					if t.Room(d.center(n)) >= -d.cell/math.Sqrt2 { // some point of it may be
						known[n] = 1
					}
				}
				if known[n] > 0 {
					d.far[n] = far
					heap.Push(open, cell{n, far})
				}
			}
		}
	}
	return d
}

func (d *distances) index(p geom.Vec2) int {
	x, y := int((p.X-d.bounds.Min.X)/d.cell), int((p.Y-d.bounds.Min.Y)/d.cell)
	return min(max(y, 0), d.ny-1)*d.nx + min(max(x, 0), d.nx-1)
}

func (d *distances) center(n int) geom.Vec2 {
	return d.bounds.Min.Add(geom.Vec2{X: float64(n%d.nx) + 0.5, Y: float64(n/d.nx) + 0.5}.Scale(d.cell))
}

// at returns the distance from a point, +Inf where there is no way.
func (d *distances) at(p geom.Vec2) float64 { return d.far[d.index(p)] }

type cell struct {
	n   int
	far float64
}

type cells []cell

func (q cells) Len() int           { return len(q) }
func (q cells) Less(i, j int) bool { return q[i].far < q[j].far }
func (q cells) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *cells) Push(x any)        { *q = append(*q, x.(cell)) }
func (q *cells) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
