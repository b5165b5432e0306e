package field_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
)

func TestGridLookup(t *testing.T) {
	c := geom.Circle{Center: geom.Vec2{X: 1, Y: 1}, Radius: 0.5}
	bounds := geom.Box{Min: geom.Vec2{X: 0, Y: -1}, Max: geom.Vec2{X: 4, Y: 3}}
	g := field.NewGrid(bounds, 5, 9, c, 2) // nodes 1 and 0.5 apart
	if n := g.Node(4, 8); n != bounds.Max {
		t.Errorf("last node = %v, want %v", n, bounds.Max)
	}
	for _, p := range []struct {
		x, y float32
		i, j int
	}{
		{0, -1, 0, 0},
		{0.79, -0.56, 0, 0}, // cells are 0.8 and 4/9 wide
		{0.81, -0.55, 1, 1},
		{4, 3, 4, 8},
		{1e30, -1e30, 4, 0},
		{float32(math.Inf(-1)), float32(math.Inf(1)), 0, 8},
		{float32(math.NaN()), 1, 0, 4},
	} {
		if i, j := g.Cell(p.x, p.y); i != p.i || j != p.j {
			t.Errorf("Cell(%v, %v) = %d, %d, want %d, %d", p.x, p.y, i, j, p.i, p.j)
		}
		want, grad := c.SignedDistance(g.Node(p.i, p.j))
		if want > 2 {
			want, grad = 2, geom.Vec2{}
		}
		d, gx, gy := g.At(p.x, p.y)
		if d != float32(want) || gx != float32(grad.X) || gy != float32(grad.Y) || g.Distance(p.x, p.y) != d {
			t.Errorf("At(%v, %v) = %v (%v, %v), want the node's %v %v", p.x, p.y, d, gx, gy, want, grad)
		}
	}
}

// Nodes are sampled when they are looked up, also by many at a time, and all see the same numbers.
func TestGridSamplesWhatIsLookedUp(t *testing.T) {
	var sampled atomic.Int32
	bounds := geom.Box{Max: geom.Vec2{X: 1, Y: 1}}
	g := field.Tabulate(bounds, 100, 100, func(i, j int) (d, gx, gy float32) {
		sampled.Add(1)
		return float32(i - 3), float32(j), -1 // zero in one column
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for k := range 100 {
				x := (float32(k) + 0.5) / 100
				if d, gx, gy := g.At(x, 0.5); d != float32(k-3) || gx != 50 || gy != -1 || g.Distance(x, 0.5) != d {
					t.Errorf("node %d: %v (%v, %v)", k, d, gx, gy)
				}
			}
		})
	}
	all.Wait()
	if n := sampled.Load(); n < 100 || n > 4*101 {
		t.Errorf("%d nodes were sampled, 100 looked up by 4", n)
	}
}
