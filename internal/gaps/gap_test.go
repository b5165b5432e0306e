package gaps_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

func TestRelativeGapClosedForms(t *testing.T) {
	at := func(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }
	for _, c := range []struct {
		name string
		u, v geom.Vec2
		want float64
	}{
		{"passing at distance 3", at(-4, 3), at(5, 3), 3},
		{"approaching", at(4, 0), at(2, 0), 2},
		{"at rest", at(3, 4), at(3, 4), 5},
		{"through each other", at(-1, 0), at(1, 0), 0},
		{"through each other, aslant", at(-1, -2), at(2, 4), 0},
		{"from one place", at(0, 0), at(1, 1), 0},
		{"in one place", at(0, 0), at(0, 0), 0},
		{"swap past each other between waypoints", at(-0.06, 0.02), at(0.06, 0.02), 0.02},
	} {
		gap, n := gaps.Relative(c.u, c.v, 0.5)
		if math.Abs(gap-(c.want-0.5)) > 1e-13 {
			t.Errorf("%s: gap = %v, want %v", c.name, gap, c.want-0.5)
		}
		if low := min(n.Dot(c.u), n.Dot(c.v)); low < c.want-1e-13 {
			t.Errorf("%s: direction %v shows %v, want %v", c.name, n, low, c.want)
		}
	}
}

func TestSegmentGapClosedForms(t *testing.T) {
	at := func(x, y float64) geom.Vec2 { return geom.Vec2{X: x, Y: y} }
	box := geom.Box{Min: at(0, 0), Max: at(2, 1)}.Convex()
	rounded := geom.RoundedBox{Center: at(1, 0.5), Size: at(2, 1), Radius: 0.25}.Convex()
	turned := geom.Convex{Core: geom.Rectangle(at(0, 0), at(2, 2), math.Pi/4)}
	for _, c := range []struct {
		name string
		c    geom.Convex
		a, b geom.Vec2
		want float64
	}{
		{"above a box", box, at(-1, 3), at(5, 3), 2},
		{"past a corner", box, at(5, 5), at(5, 5), 5},
		{"through a thin wall between two waypoints", box, at(1, -3), at(1, 4), -1},
		{"into a box", box, at(1, 2), at(1, 0.75), -0.25},
		{"past a rounded corner", rounded, at(2, 1), at(2, 1), 0.25*math.Sqrt2 - 0.25},
		{"beside a turned square", turned, at(2, 5), at(2, -5), 2 - math.Sqrt2},
		{"around a circle", geom.Circle{Center: at(1, 1), Radius: 1}.Convex(), at(-4, 5), at(4, 5), 3},
		{"through its centre", geom.Circle{Center: at(1, 1), Radius: 1}.Convex(), at(-4, 1), at(4, 1), -1},
		{"along a wall without width", geom.Convex{Core: geom.Polygon{at(0, 0), at(1, 0)}, Radius: 0.5}, at(0, 1), at(1, 1), 0.5},
	} {
		gap, _ := gaps.Segment(c.c, geom.Segment{A: c.a, B: c.b}, 0.125)
		if math.Abs(gap-(c.want-0.125)) > 1e-13 {
			t.Errorf("%s: gap = %v, want %v", c.name, gap, c.want-0.125)
		}
	}
}

// A region in two forms has one signed distance, and that of a point is the gap of
// a segment without length.
func TestConvexIsTheSolid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	box := geom.Box{Min: geom.Vec2{X: -0.3, Y: 0.1}, Max: geom.Vec2{X: 0.5, Y: 0.4}}
	rounded := geom.RoundedBox{Center: geom.Vec2{X: 0.1, Y: -0.2}, Size: geom.Vec2{X: 0.8, Y: 0.5}, Radius: 0.12}
	stadium := geom.RoundedBox{Size: geom.Vec2{X: 1, Y: 0.4}, Radius: 0.2}
	circle := geom.Circle{Center: geom.Vec2{X: -0.2, Y: 0.3}, Radius: 0.35}
	for _, c := range []struct {
		solid  geom.Solid
		convex geom.Convex
	}{{box, box.Convex()}, {rounded, rounded.Convex()}, {stadium, stadium.Convex()}, {circle, circle.Convex()}} {
		for range 2000 {
			p := randomPoint(r, 1.2)
			want, _ := c.solid.SignedDistance(p)
			got, n := c.convex.SignedDistance(p)
			if math.Abs(got-want) > 1e-14 || math.Abs(n.Norm()-1) > 1e-14 {
				t.Fatalf("%T at %v: %v with gradient %v, want %v", c.solid, p, got, n, want)
			}
			if gap, _ := gaps.Segment(c.convex, geom.Segment{A: p, B: p}, 0); gap > want+1e-15 || gap < want-1e-13 {
				t.Fatalf("%T at %v: gap %v, want %v", c.solid, p, gap, want)
			}
		}
	}
}

func TestSupportBoundsTheRegion(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 14))
	for range 500 {
		c, _ := drawConvex(r)
		n := randomPoint(r, 1).Unit()
		top := math.Inf(-1)
		for _, v := range c.Core {
			top = max(top, v.Dot(n)+c.Radius)
		}
		if got := gaps.Support(c, n); got < top || got > top+1e-13 {
			t.Fatalf("Support(%v) = %v, want %v", n, got, top)
		}
		if b := c.Bounds(); b.Max.X < gaps.Support(c, geom.Vec2{X: 1})-1e-13 || b.Min.Y > -gaps.Support(c, geom.Vec2{Y: -1})+1e-13 {
			t.Fatalf("bounds %v of %v", b, c)
		}
	}
}

func randomPoint(r *rand.Rand, half float64) geom.Vec2 {
	return geom.Vec2{X: half * (2*r.Float64() - 1), Y: half * (2*r.Float64() - 1)}
}
