package nav2d

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
	"github.com/go-pcd/pcd/internal/thorough"
)

func mapOf(half float64, solids ...geom.Solid) *Map {
	b := geom.Box{Min: geom.Vec2{X: -half, Y: -half}, Max: geom.Vec2{X: half, Y: half}}
	return &Map{Bounds: b, border: b, Obstacles: solids, index: field.NewIndex(solids)} // no field of distances, which takes long
}

func rect(x0, y0, x1, y1 float64) geom.Solid {
	return geom.RoundedBox{Center: geom.Vec2{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, Size: geom.Vec2{X: x1 - x0, Y: y1 - y0}}
}

// TestPassageClosedForms: a robot passes what is as wide as it needs, and no less; the
// gap that is named is the one that decides.
func TestPassageClosedForms(t *testing.T) {
	disk := func(x, y, r float64) geom.Solid { return geom.Circle{Center: geom.Vec2{X: x, Y: y}, Radius: r} }
	s, g := geom.Vec2{X: -0.7}, geom.Vec2{X: 0.7}
	turned := func(y float64) geom.Solid {
		return geom.Convex{Core: geom.Rectangle(geom.Vec2{Y: y}, geom.Vec2{X: 0.5 * math.Sqrt2, Y: 0.5 * math.Sqrt2}, math.Pi/4)}
	}
	var beads []geom.Solid
	for k := range 9 {
		beads = append(beads, disk(0, -1+0.25*float64(k), 0.125))
	}
	cell := []geom.Solid{rect(-0.9, 0.2, -0.5, 0.3), rect(-0.9, -0.3, -0.5, -0.2), rect(-0.92, -0.3, -0.9, 0.3), rect(-0.5, -0.3, -0.48, 0.3)}
	for name, c := range map[string]struct {
		m     *Map
		width float64 // of the widest way; 0 for none
	}{
		"an aisle":                     {mapOf(1, rect(-0.3, -1, 0.3, -0.1), rect(-0.3, 0.1, 0.3, 1)), 0.2},
		"two aisles":                   {mapOf(1, rect(-0.3, -1, 0.3, -0.5), rect(-0.3, -0.38, 0.3, 0.3), rect(-0.3, 0.35, 0.3, 1)), 0.12},
		"two doors one after another":  {mapOf(1, rect(-0.3, -1, -0.2, -0.5), rect(-0.3, -0.3, -0.2, 1), rect(0.2, -1, 0.3, 0.5), rect(0.2, 0.6, 0.3, 1)), 0.1},
		"disks":                        {mapOf(1, disk(0, 0.6, 0.45), disk(0, -0.5, 0.5)), 0.15},
		"diamonds corner to corner":    {mapOf(1, turned(0.55), turned(-0.55)), 0.1},
		"beside the border":            {mapOf(1, rect(-0.1, -0.93, 0.1, 1)), 0.07},
		"touching disks":               {mapOf(1, beads...), 0},
		"a pocket":                     {mapOf(1, cell...), 0},
		"a pocket with a door":         {mapOf(1, append(cell[:3:3], rect(-0.5, -0.3, -0.48, 0.16))...), 0.04},
		"crossing bars":                {mapOf(1, rect(-0.1, -1, 0.1, 0.2), rect(-0.5, 0.05, 0.5, 0.15), rect(-0.05, 0.25, 0.05, 1)), 0.05},
		"a bar across the whole width": {mapOf(1, rect(-0.1, -1.5, 0.1, 1.5)), 0},
	} {
		for _, share := range []float64{0.1, 0.99, 1, 1.01, 1.3} {
			radius := share * c.width / 2
			if c.width == 0 {
				radius = 0.01 * share
			}
			p, blocked := blockingPassage(c.m, radius, 0, s, g)
			if want := c.width == 0 || share > 1; blocked != want {
				t.Errorf("%s, a disk of radius %v: blocked %v, want %v by %+v", name, radius, blocked, want, p)
			} else if blocked && math.Abs(max(p.width, 0)-c.width) > 1e-12 {
				t.Errorf("%s: width %v, want %v", name, p.width, c.width)
			}
		}
	}
	if p, blocked := blockingPassage(mapOf(1, beads...), 0.1, 0, s, geom.Vec2{X: -0.5, Y: 0.5}); blocked {
		t.Errorf("on the same side of a wall: %+v", p)
	}
}

// TestPassageAgainstLattice: what a fine lattice finds for a disk is never refused, and
// where it finds nothing even for a disk that is smaller by its spacing, neither is found.
func TestPassageAgainstLattice(t *testing.T) {
	const h = 0.02
	draw := rand.New(rand.NewPCG(1, 2))
	found := [2]int{}
	for scene := range 200 {
		m := randomMap(draw, 10+scene%40)
		radius, margin := 0.03+0.1*draw.Float64(), 0.03*draw.Float64()
		s, g := freePoint(draw, m, radius, margin), freePoint(draw, m, radius, margin)
		p, blocked := blockingPassage(m, radius, margin, s, g)
		switch {
		case blocked && floods(m, radius, margin, h, s, g):
			t.Errorf("scene %d: refused by %+v, and there is a way", scene, p)
		case !blocked && !floods(m, radius-2*h, margin, h, s, g):
			t.Errorf("scene %d: let pass, and there is no way for less", scene)
		}
		if blocked {
			found[1]++
			if p.width > 0 { // the width is that of the widest way
				share := p.width / p.need
				if _, still := blockingPassage(m, radius*share*(1-1e-6), margin*share*(1-1e-6), s, g); still {
					t.Errorf("scene %d: no way for a disk of the reported width", scene)
				}
			}
		} else {
			found[0]++
		}
	}
	if found[0] < 40 || found[1] < 40 {
		t.Errorf("%d scenes with a way and %d without: the test is lopsided", found[0], found[1])
	}
}

// TestCrowdedObstaclesTakeLittleMemory: thousands of obstacles that overlap, each with each
// other, are decided as few are, and of their millions of gaps few are kept.
func TestCrowdedObstaclesTakeLittleMemory(t *testing.T) {
	thorough.Test(t)
	const n = 1500
	draw := rand.New(rand.NewPCG(3, 4))
	for _, half := range []float64{0.4, 1.2} { // of a heap in the middle: around it there is a way, or not
		var solids []geom.Solid
		for k := range n {
			y := half * (2*float64(k)/(n-1) - 1)
			solids = append(solids, geom.Circle{Center: geom.Vec2{X: 0.02 * draw.Float64(), Y: y}, Radius: 0.3})
		}
		m := mapOf(1.2, solids...)
		s, g := geom.Vec2{X: -0.7}, geom.Vec2{X: 0.7}
		search := newGapSearch(m, 0.1, 0, geom.Segment{A: s, B: g})
		search.narrow()
		if _, blocked := search.parting(); blocked != (half > 1) {
			t.Errorf("a heap of half width %v: blocked %v", half, blocked)
		}
		if most := 4 * gapsPerObstacle * n; cap(search.gaps) > most {
			t.Errorf("room for %d gaps, want %d at the most", cap(search.gaps), most)
		}
	}
}

func randomMap(draw *rand.Rand, n int) *Map {
	var solids []geom.Solid
	for range n {
		at := geom.Vec2{X: 2*draw.Float64() - 1, Y: 2*draw.Float64() - 1}
		size := geom.Vec2{X: 0.02 + 0.6*draw.Float64(), Y: 0.02 + 0.3*draw.Float64()}
		switch draw.IntN(3) {
		case 0:
			solids = append(solids, geom.RoundedBox{Center: at, Size: size, Radius: 0.3 * min(size.X, size.Y)})
		case 1:
			solids = append(solids, geom.Convex{Core: geom.Rectangle(at, size, math.Pi*draw.Float64())})
		default:
			solids = append(solids, geom.Circle{Center: at, Radius: size.Y / 2})
		}
	}
	return mapOf(1, solids...)
}

func freePoint(draw *rand.Rand, m *Map, radius, margin float64) geom.Vec2 {
	for {
		p := geom.Vec2{X: 2*draw.Float64() - 1, Y: 2*draw.Float64() - 1}
		if d, _ := m.Clearance(p); d > radius+margin && m.Room(radius).Contains(p) {
			return p
		}
	}
}

// floods reports whether a walk over a lattice of spacing h leads from s to g. Steps are
// taken between neighbours across that are both free for a disk larger by h/2, which
// keeps all of the step free; for a radius reduced by 2h it finds what there is.
func floods(m *Map, radius, margin, h float64, s, g geom.Vec2) bool {
	const grow = 0.5
	n := int(2/h) + 1
	at := func(i, j int) geom.Vec2 { return geom.Vec2{X: -1 + h*float64(i), Y: -1 + h*float64(j)} }
	free := func(i, j int) bool {
		if i < 0 || j < 0 || i >= n || j >= n {
			return false
		}
		d, _ := m.Clearance(at(i, j))
		return d >= radius+margin+grow*h && m.Room(radius+grow*h).Contains(at(i, j))
	}
	near := func(p geom.Vec2) (out [][2]int) {
		x, y := int((p.X+1)/h), int((p.Y+1)/h)
		for i := x; i <= x+1; i++ {
			for j := y; j <= y+1; j++ {
				if free(i, j) && (freeSpace{m.Obstacles, radius + margin, m.Room(radius)}).connects(p, at(i, j)) {
					out = append(out, [2]int{i, j})
				}
			}
		}
		return out
	}
	goals := map[[2]int]bool{}
	for _, c := range near(g) {
		goals[c] = true
	}
	seen := make([]bool, n*n)
	stack := near(s)
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if goals[c] {
			return true
		}
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if to := [2]int{c[0] + d[0], c[1] + d[1]}; free(to[0], to[1]) && !seen[to[0]*n+to[1]] {
				seen[to[0]*n+to[1]] = true
				stack = append(stack, to)
			}
		}
	}
	return false
}

// TestAislesOfLargeSites: whether a robot passes an aisle does not depend on how large
// the site is.
func TestAislesOfLargeSites(t *testing.T) {
	for _, c := range []struct {
		site, aisle, radius float64
		passes              bool
	}{{60, 1.2, 0.35, true}, {60, 1.2, 0.6, true}, {60, 1.2, 0.61, false}, {2000, 1.2, 0.35, true}, {2000, 0.6, 0.35, false}} {
		bottom := (c.site/2 - c.aisle) / 2
		scene := &Scene{
			Bounds: &Bounds{Min: []float64{0, 0}, Max: []float64{c.site, c.site / 2}},
			Boxes: []Box{
				{Center: []float64{c.site / 2, bottom / 2}, Size: []float64{c.site / 3, bottom}},
				{Center: []float64{c.site / 2, c.site/2 - bottom/2}, Size: []float64{c.site / 3, bottom}},
			},
			Robots: []Robot{{Name: "ada", Start: At(2, 2), Goal: At(c.site-2, 2), Radius: new(c.radius), Speed: new(10 * c.site)}},
		}
		task, err := scene.Task()
		if err != nil {
			t.Fatal(err)
		}
		err = task.CheckReach(Waypoints, task.Step)
		if c.passes {
			if err != nil {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		var u *UnreachableError
		if !errors.As(err, &u) || math.Abs(u.Wide-c.aisle) > 1e-9 || math.Abs(u.Need-2*c.radius) > 1e-9 || u.Between != [2]string{"obstacle 0", "obstacle 1"} {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What rounding leaves between a wall and the border is no way, and no width is told of it.
func TestWallsUpToTheBorderLeaveNoWay(t *testing.T) {
	scene := &Scene{
		Bounds: &Bounds{Min: []float64{-3.05, -1}, Max: []float64{2.95, 1}},
		Boxes:  []Box{{Center: []float64{0, 0}, Size: []float64{1, 2 - 1e-6}}},
		Robots: []Robot{{Name: "ada", Start: At(-2.3, 0), Goal: At(2.3, 0), Radius: new(0.25)}},
	}
	task, err := scene.Task()
	if err != nil {
		t.Fatal(err)
	}
	var u *UnreachableError
	if err := task.CheckReach(Waypoints, task.Step); !errors.As(err, &u) || u.Wide != 0 || !strings.Contains(err.Error(), "leave no way from (-2.3, 0) to (2.3, 0)") {
		t.Error(err)
	}
}

// TestPassageOnGridsOfCells: among boxes that fill cells of a grid, a disk as wide as a cell
// gets wherever free cells lead across their sides, and no disk gets elsewhere.
func TestPassageOnGridsOfCells(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	draw := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{8, 20, 60} {
		for range 4 {
			cells := make([]string, n)
			for i := range cells {
				row := make([]byte, n)
				for j := range row {
					row[j] = "@..."[draw.IntN(4)]
					if draw.IntN(7) == 0 {
						row[j] = '@'
					}
				}
				cells[i] = string(row)
			}
			checkCells(t, draw, cells)
		}
	}
}

// checkCells compares the answers for pairs of free cells with the components of a grid.
func checkCells(t *testing.T, draw *rand.Rand, cells []string) {
	t.Helper()
	longer := float64(max(len(cells), len(cells[0])))
	at := func(i, j int) geom.Vec2 { // the middle of a cell
		return geom.Vec2{X: (2*float64(j)+1)/longer - 1, Y: (2*float64(i)+1)/longer - 1}
	}
	m := mapOf(1)
	m.border.Max = at(len(cells)-1, len(cells[0])-1).Add(geom.Vec2{X: 1 / longer, Y: 1 / longer})
	component, free := map[[2]int]int{}, [][2]int{}
	for i := range cells {
		for j := range cells[i] {
			if cells[i][j] == '@' {
				c := at(i, j)
				m.Obstacles = append(m.Obstacles, rect(c.X-1/longer, c.Y-1/longer, c.X+1/longer, c.Y+1/longer))
				continue
			}
			free = append(free, [2]int{i, j})
			fillCells(cells, component, [2]int{i, j}, len(free))
		}
	}
	found := map[bool]int{}
	for range 40 {
		s, g := free[draw.IntN(len(free))], free[draw.IntN(len(free))]
		for _, share := range []float64{0.05, 0.7, 1} {
			_, blocked := blockingPassage(m, share/longer, 0, at(s[0], s[1]), at(g[0], g[1]))
			if want := component[s] != component[g]; blocked != want {
				t.Errorf("%d rows, from %v to %v with %v of a cell: blocked %v, want %v", len(cells), s, g, share, blocked, want)
			}
			found[blocked]++
		}
	}
	t.Logf("%d boxes: %d ways, %d refusals", len(m.Obstacles), found[false], found[true])
}

// fillCells gives a number to the free cells that are joined to one, across sides.
func fillCells(cells []string, component map[[2]int]int, from [2]int, number int) {
	for stack := [][2]int{from}; len(stack) > 0; {
		c := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c[0] < 0 || c[1] < 0 || c[0] >= len(cells) || c[1] >= len(cells[0]) || cells[c[0]][c[1]] == '@' || component[c] != 0 {
			continue
		}
		component[c] = number
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			stack = append(stack, [2]int{c[0] + d[0], c[1] + d[1]})
		}
	}
}

// BenchmarkBlockingPassage decides about a maze of 2 000 boxes.
func BenchmarkBlockingPassage(b *testing.B) {
	draw := rand.New(rand.NewPCG(3, 4))
	var solids []geom.Solid
	for range 2000 {
		x, y := 1.8*draw.Float64()-0.9, 1.8*draw.Float64()-0.9
		solids = append(solids, rect(x, y, x+0.02, y+0.02))
	}
	m := &Map{border: square, Bounds: square, Obstacles: solids, index: field.NewIndex(solids)}
	for b.Loop() {
		blockingPassage(m, 0.01, 0, geom.Vec2{X: -0.98, Y: -0.98}, geom.Vec2{X: 0.98, Y: 0.98})
	}
}
