package steer

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/frontier"
)

// distances are how far it is to the goal, round what is in the way, for who turns as he likes: on a grid
// whose cells count as free where any point of them may be.
type distances struct {
	task   *Task
	cell   float64
	nx, ny int
	far    []float64
	known  []int8 // whether a cell is free: 1, is not: -1, or not looked at: 0
}

// finest is how many cells the grid has along the longer side at most.
const finest = 160

// distances returns the distances of a task.
func (t *Task) distances() *distances {
	size := t.Bounds.Size()
	d := &distances{task: t, cell: max(t.Size/4, max(size.X, size.Y)/finest)}
	d.nx, d.ny = int(size.X/d.cell)+1, int(size.Y/d.cell)+1
	d.far, d.known = make([]float64, d.nx*d.ny), make([]int8, d.nx*d.ny)
	for n := range d.far {
		d.far[n] = math.Inf(1)
	}
	var open frontier.Queue[int]
	goal := d.index(t.Goal)
	d.far[goal] = 0
	open.Push(goal, 0)
	for {
		now, far, ok := open.Pop()
		if !ok {
			return d
		}
		if far > d.far[now] {
			continue
		}
		d.spread(&open, now)
	}
}

// spread offers ways from a cell to the cells beside it.
func (d *distances) spread(open *frontier.Queue[int], now int) {
	x, y := now%d.nx, now/d.nx
	for v := max(y-1, 0); v <= min(y+1, d.ny-1); v++ {
		for u := max(x-1, 0); u <= min(x+1, d.nx-1); u++ {
			n := v*d.nx + u
			far := d.far[now] + d.cell*math.Hypot(float64(u-x), float64(v-y))
			if far < d.far[n] && d.free(n) {
				d.far[n] = far
				open.Push(n, far)
			}
		}
	}
}

// free reports whether some point of a cell may be free.
func (d *distances) free(n int) bool {
	if d.known[n] == 0 {
		d.known[n] = -1
		if d.task.Room(d.center(n)) >= -d.cell/math.Sqrt2 {
			d.known[n] = 1
		}
	}
	return d.known[n] > 0
}

func (d *distances) index(p geom.Vec2) int {
	x, y := int((p.X-d.task.Bounds.Min.X)/d.cell), int((p.Y-d.task.Bounds.Min.Y)/d.cell)
	return min(max(y, 0), d.ny-1)*d.nx + min(max(x, 0), d.nx-1)
}

func (d *distances) center(n int) geom.Vec2 {
	return d.task.Bounds.Min.Add(geom.Vec2{X: float64(n%d.nx) + 0.5, Y: float64(n/d.nx) + 0.5}.Scale(d.cell))
}

// at returns the distance from a point, +Inf where there is no way.
func (d *distances) at(p geom.Vec2) float64 { return d.far[d.index(p)] }
