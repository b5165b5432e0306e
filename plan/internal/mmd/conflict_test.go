package mmd

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
)

// teamOfRadii is a team of which only the radii count.
func teamOfRadii(radii ...float64) Team {
	var t Team
	for _, r := range radii {
		t = append(t, Robot{Radius: r})
	}
	return t
}

func teamOfEqual(n int) Team { return teamOfRadii(slices.Repeat([]float64{nav2d.RobotRadius}, n)...) }

// referencePaths reads the paths of a set of the vectors. Robots that start later
// wait at their first waypoint.
func referencePaths(g *golden.Archive, set int, starts []int) [][]geom.Vec2 {
	name := fmt.Sprint("paths_", set)
	shape, flat := g.Shape(name), g.Float32(name)
	last := slices.Max(starts)
	var paths [][]geom.Vec2
	for i := range shape[0] {
		p := geom.Points(nil, flat[i*shape[1]*2:(i+1)*shape[1]*2], 2)
		p = slices.Concat(slices.Repeat(p[:1], starts[i]), p, slices.Repeat(p[len(p)-1:], last-starts[i]))
		paths = append(paths, p)
	}
	return paths
}

func TestReferenceConflicts(t *testing.T) {
	g := golden.Open(t, "testdata/conflicts.npz")
	for set, starts := range [][]int{{0, 0}, {0, 0, 0}, {0, 0, 0, 0}, {0, 3, 7}} {
		paths := referencePaths(g, set, starts)
		got := teamOfEqual(len(paths)).conflicts(paths)
		// The reference lists every conflict twice, once per order of its robots.
		rows, midpoints := g.Ints(fmt.Sprint("conflicts_", set)), g.Float32(fmt.Sprint("midpoints_", set))
		var want []conflict
		for k := 0; k < len(rows); k += 4 {
			if rows[k+2] < rows[k+3] {
				m := geom.Points(nil, midpoints[k/4*2:k/4*2+2], 2)[0]
				want = append(want, conflict{waypoint: rows[k], a: rows[k+2], b: rows[k+3], midpoint: m})
			}
		}
		if len(got) != len(want) || 2*len(got)*4 != len(rows) {
			t.Fatalf("set %d: %d conflicts, want %d", set, len(got), len(want))
		}
		for k, c := range got {
			w := want[k]
			if d := c.midpoint.Dist(w.midpoint); c.waypoint != w.waypoint || c.a != w.a || c.b != w.b || d > 1e-6 {
				t.Errorf("set %d: conflict %d = %+v, want %+v", set, k, c, w)
			}
		}
	}
}

func TestReferenceConstraints(t *testing.T) {
	g := golden.Open(t, "testdata/conflicts.npz")
	for set, want := range []struct {
		starts []int
		a, b   int
		disk   Disk
	}{
		{[]int{0, 0}, 0, 1, Disk{geom.Vec2{X: -0.1375732421875, Y: 0.04345703125}, 0.12, 32, 36}},
		{[]int{0, 0, 0}, 0, 2, Disk{geom.Vec2{X: -0.0560302734375, Y: -0.0560302734375}, 0.12, 18, 22}},
		{[]int{0, 0, 0, 0}, 1, 3, Disk{geom.Vec2{X: 0.0260009765625, Y: 0.0701904296875}, 0.12, 27, 31}},
		{[]int{0, 3, 7}, 0, 1, Disk{geom.Vec2{X: 0.140869140625, Y: 0.5927734375}, 0.12, 0, 2}}, // -2 before it is limited
	} {
		paths := referencePaths(g, set, want.starts)
		team := teamOfEqual(len(paths))
		first := team.conflicts(paths)[0]
		got := team.resolve(first, 63)
		if first.a != want.a || first.b != want.b || got.Soft || len(got.Disks) != 1 || !got.Disks[0].near(want.disk) {
			t.Errorf("set %d: robots %d and %d get %+v, want %d and %d to get %+v", set, first.a, first.b, got, want.a, want.b, want.disk)
		}
	}
}

// near reports whether two disks are equal up to the rounding of lengths.
func (d Disk) near(e Disk) bool {
	return d.From == e.From && d.To == e.To && d.Center.Dist(e.Center) < 1e-6 && abs(d.Radius-e.Radius) < 1e-12
}

func abs(x float64) float64 { return max(x, -x) }

func TestConstraintAtTheEndIsLimited(t *testing.T) {
	c := teamOfEqual(2).resolve(conflict{waypoint: 62, a: 0, b: 1}, 63)
	if d := c.Disks[0]; d.From != 60 || d.To != 63 {
		t.Errorf("constraint of a conflict at waypoint 62 holds in [%d, %d), want [60, 63)", d.From, d.To)
	}
}

func TestReferenceSoftConstraint(t *testing.T) {
	g := golden.Open(t, "testdata/conflicts.npz")
	paths := referencePaths(g, 2, []int{0, 0, 0, 0})
	c, ok := teamOfEqual(4).avoid(1, paths, true)
	centers, ranges := geom.Points(nil, g.Float32("soft_q"), 2), g.Ints("soft_t")
	if !ok || !c.Soft || len(c.Disks) != len(centers) {
		t.Fatalf("avoid = %d disks, soft %v, want %d, soft", len(c.Disks), c.Soft, len(centers))
	}
	for k, d := range c.Disks {
		if want := (Disk{centers[k], 0.12, ranges[2*k], ranges[2*k+1]}); !d.near(want) {
			t.Errorf("disk %d = %+v, want %+v", k, d, want)
		}
	}
}

// Distances between different robots follow the mean of their radii, so that
// keeping them keeps the robots apart.
func TestConflictsOfDifferentRobots(t *testing.T) {
	team := teamOfRadii(0.02, 0.1, 0.05)
	at := func(x float64) []geom.Vec2 { return []geom.Vec2{{X: x}, {X: x}} }
	near, far := 2.1*0.06-1e-9, 2.1*0.06+1e-9
	if n := len(team.conflicts([][]geom.Vec2{at(0), at(near), nil})); n != 2 {
		t.Errorf("%d conflicts at a distance of %v, want 2", n, near)
	}
	if n := len(team.conflicts([][]geom.Vec2{at(0), at(far), nil})); n != 0 {
		t.Errorf("%d conflicts at a distance of %v, want none", n, far)
	}
	paths := [][]geom.Vec2{at(0), at(near), at(-0.05)}
	if got := team.conflictsOf(0, paths[0], paths, 100); got != 4 {
		t.Errorf("robot 0 has %d conflicts, want 4", got)
	}
	c, _ := team.avoid(0, paths, false)
	if len(c.Disks) != 2 || abs(c.Disks[0].Radius-2.4*0.06) > 1e-12 || abs(c.Disks[1].Radius-2.4*0.035) > 1e-12 {
		t.Errorf("constraints = %+v, want radii %v and %v", c.Disks, 2.4*0.06, 2.4*0.035)
	}
}

func TestNoConflictWithoutPaths(t *testing.T) {
	paths := make([][]geom.Vec2, 2)
	if got := teamOfEqual(2).conflicts(paths); got != nil {
		t.Errorf("conflicts of no paths = %v, want none", got)
	}
	if c, ok := teamOfEqual(2).avoid(0, paths, true); ok {
		t.Errorf("avoid = %+v without other paths, want nothing", c)
	}
}
