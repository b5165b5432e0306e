package route

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// floorPlan returns a task on a map of 10 by 10 cells of 0.2, with some of them blocked, whose own cells
// are those, and a robot for every pair of cells.
func floorPlan(radius, step float64, blocked [][2]int, ends ...[2][2]float64) (Task, [][]geom.Vec2) {
	const side = 0.2
	l := &nav2d.Lattice{First: at(-0.9, -0.9), Along: at(side, 0), Up: at(0, side), Columns: 10, Rows: 10}
	var walls geom.Union
	for _, b := range blocked {
		c := l.Center(b[0], b[1])
		walls = append(walls, geom.Box{Min: c.Sub(at(side/2, side/2)), Max: c.Add(at(side/2, side/2))})
	}
	t := Task{Map: nav2d.NewMap("cells", geom.Box{Min: at(-1, -1), Max: at(1, 1)}, walls, nil)}
	t.Map.Cells = l
	var paths [][]geom.Vec2
	for _, e := range ends {
		t.Disks = append(t.Disks, Disk{Radius: radius, Step: step})
		place := func(c [2]float64) geom.Vec2 { return l.First.Add(at(c[0]*side, c[1]*side)) }
		path := make([]geom.Vec2, 120)
		for h := range path {
			path[h] = place(e[0]).Lerp(place(e[1]), float64(h)/float64(len(path)-1))
		}
		path[len(path)-1] = place(e[1])
		paths = append(paths, path)
	}
	return t, paths
}

// crossingAll returns ends of robots that fill two columns on either side and change them.
func crossingAll(draw *rand.Rand, off float64) (ends [][2][2]float64) {
	left, right := draw.Perm(20), draw.Perm(20)
	shift := func() float64 { return off * (2*draw.Float64() - 1) }
	for k := range 10 {
		a := [2]float64{float64(left[k] / 10), float64(left[k] % 10)}
		b := [2]float64{float64(8 + right[k]/10), float64(right[k] % 10)}
		c := [2]float64{float64(left[k+10] / 10), float64(left[k+10] % 10)}
		d := [2]float64{float64(8 + right[k+10]/10), float64(right[k+10] % 10)}
		for _, e := range [][2][2]float64{{a, b}, {d, c}} {
			for n := range e {
				e[n][0], e[n][1] = e[n][0]+shift(), e[n][1]+shift()
			}
			ends = append(ends, e)
		}
	}
	return ends
}

// A team as dense as a crowd gets past itself through two gaps in a wall, from the middles of cells
// and from elsewhere, with robots that do and that do not follow each other round corners.
func TestMoveOverCells(t *testing.T) {
	wall := [][2]int{{5, 0}, {5, 1}, {5, 2}, {5, 4}, {5, 5}, {5, 7}, {5, 8}, {5, 9}}
	for name, c := range map[string]struct{ radius, off, change float64 }{
		"small": {0.06, 0, 0}, "off the middle": {0.06, 0.15, 0}, "wide": {0.095, 0, 0}, "slow to turn": {0.06, 0, 0.12},
	} {
		draw := rand.New(rand.NewPCG(5, 6))
		task, paths := floorPlan(c.radius, 0.2, wall, crossingAll(draw, c.off)...)
		for i := range task.Disks {
			task.Disks[i].Change = c.change
		}
		found := task.MoveOverCells(t.Context(), paths, 1, 1<<28)
		if found.Paths == nil {
			t.Errorf("%s: %s", name, found.Reason)
			continue
		}
		checkTogether(t, task, paths, found.Paths)
		for i, p := range found.Paths {
			for h := 2; h < len(p) && c.change > 0; h++ {
				if d := p[h].Add(p[h-2]).Sub(p[h-1].Scale(2)).Norm(); d > c.change*(1+1e-6) {
					t.Fatalf("%s: robot %d changes its step by %v at waypoint %d", name, i, d, h)
				}
			}
		}
	}
}

// Where cells do not help the reason is told.
func TestNoWaysOverCells(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Task, [][]geom.Vec2)
		reason string
	}{
		"traffic": {func(s *Task, p [][]geom.Vec2) { s.Traffic = []Body{{Radius: 0.1, Course: Course{Path: p[0]}}} }, "traffic"},
		"little time": {func(s *Task, p [][]geom.Vec2) {
			p[0], p[1] = p[0][:8:8], p[1][:8:8]
			p[0][7], p[1][7] = at(0.9, 0.1), at(-0.9, 0.1)
		}, "waypoints"},
		"large robots":  {func(s *Task, _ [][]geom.Vec2) { s.Disks[0].Radius, s.Disks[1].Radius = 1.2, 1.2 }, "wider than a cell"},
		"in a wall":     {func(s *Task, _ [][]geom.Vec2) { *s = s.with(geom.Box{Min: at(-1, -1), Max: at(-0.5, 1)}) }, "no cell"},
		"little memory": {nil, "no ways"},
	} {
		task, paths := floorPlan(0.06, 0.2, nil, [2][2]float64{{0, 5}, {9, 5}}, [2][2]float64{{9, 5}, {0, 5}})
		bytes := int64(1 << 28)
		if c.change != nil {
			c.change(&task, paths)
		} else {
			bytes = 500
		}
		found := task.MoveOverCells(t.Context(), paths, 1, bytes)
		if found.Paths != nil || !strings.Contains(found.Reason, c.reason) || found.Full != (name == "little memory") {
			t.Errorf("%s: %d paths, reason %q, full %v", name, len(found.Paths), found.Reason, found.Full)
		}
		if name == "little time" && found.Waypoints != 12 {
			t.Errorf("%d waypoints are needed, want 12", found.Waypoints)
		}
	}
}

// with returns the task with a further wall.
func (t Task) with(b geom.Box) Task {
	t.Map = t.Map.With(b)
	return t
}

// Robots larger than the cells of the map, and maps without cells, have a lattice of their own.
func TestLatticeOfTheirOwn(t *testing.T) {
	for name, cells := range map[string]bool{"cells that are too small": true, "none": false} {
		task, paths := floorPlan(0.11, 0.2, nil, [2][2]float64{{1, 4}, {8, 4}}, [2][2]float64{{8, 4}, {1, 4}})
		if !cells {
			task.Map.Cells = nil
		}
		l, why := task.lattice()
		if l == nil || why == "" || l.Side() < 0.22*math.Sqrt2 {
			t.Fatalf("%s: lattice %+v, %q", name, l, why)
		}
		found := task.MoveOverCells(t.Context(), paths, 1, 1<<28)
		if found.Paths == nil {
			t.Fatalf("%s: %s", name, found.Reason)
		}
		checkTogether(t, task, paths, found.Paths)
	}
}
