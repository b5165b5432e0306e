package geom_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

var solids = map[string]geom.Solid{
	"box":           geom.Box{Min: geom.Vec2{X: -0.3, Y: 0.1}, Max: geom.Vec2{X: 0.5, Y: 0.4}},
	"rounded box":   geom.RoundedBox{Center: geom.Vec2{X: 0.1, Y: -0.2}, Size: geom.Vec2{X: 0.8, Y: 0.5}, Radius: 0.12},
	"stadium":       geom.RoundedBox{Center: geom.Vec2{X: 0, Y: 0}, Size: geom.Vec2{X: 1, Y: 0.4}, Radius: 0.2},
	"circle":        geom.Circle{Center: geom.Vec2{X: -0.2, Y: 0.3}, Radius: 0.35},
	"capsule":       geom.Convex{Core: geom.Polygon{{X: -0.4, Y: 0.1}, {X: 0.5, Y: -0.3}}, Radius: 0.15},
	"triangle":      geom.Convex{Core: geom.Polygon{{X: -0.4, Y: -0.3}, {X: 0.6, Y: -0.2}, {X: 0.1, Y: 0.5}}},
	"thick square":  geom.Convex{Core: geom.Rectangle(geom.Vec2{X: 0.1, Y: 0.2}, geom.Vec2{X: 0.6, Y: 0.6}, 0.4), Radius: 0.2},
	"disjoint pair": geom.Union{geom.Circle{Center: geom.Vec2{X: -0.5}, Radius: 0.2}, geom.Circle{Center: geom.Vec2{X: 0.6}, Radius: 0.3}},
}

func randomPoint(r *rand.Rand, half float64) geom.Vec2 {
	return geom.Vec2{X: half * (2*r.Float64() - 1), Y: half * (2*r.Float64() - 1)}
}

// A signed distance is 1-Lipschitz, has a unit gradient, and the foot point
// p - d grad lies on the surface: the three together say that it is a distance.
func TestSignedDistanceFootPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, s := range solids {
		for range 5000 {
			p, q := randomPoint(r, 1.2), randomPoint(r, 1.2)
			d, grad := s.SignedDistance(p)
			dq, _ := s.SignedDistance(q)
			if math.Abs(d-dq) > p.Dist(q)+1e-12 {
				t.Fatalf("%s: |d(%v) - d(%v)| = %g exceeds their distance %g", name, p, q, math.Abs(d-dq), p.Dist(q))
			}
			if math.Abs(grad.Norm()-1) > 1e-12 {
				t.Fatalf("%s: |grad(%v)| = %g, want 1", name, p, grad.Norm())
			}
			if d < 0 {
				continue // inside, the formula of a rounded box is a bound near its arcs
			}
			if on, _ := s.SignedDistance(p.Sub(grad.Scale(d))); math.Abs(on) > 1e-12 {
				t.Fatalf("%s: foot point of %v has distance %g, want 0", name, p, on)
			}
		}
	}
}

func TestGradientMatchesDifferences(t *testing.T) {
	const h = 1e-6
	r := rand.New(rand.NewPCG(3, 4))
	for name, s := range solids {
		bad := 0
		for range 2000 {
			p := randomPoint(r, 1.2)
			_, grad := s.SignedDistance(p)
			at := func(dx, dy float64) float64 {
				d, _ := s.SignedDistance(p.Add(geom.Vec2{X: dx, Y: dy}))
				return d
			}
			diff := geom.Vec2{X: (at(h, 0) - at(-h, 0)) / (2 * h), Y: (at(0, h) - at(0, -h)) / (2 * h)}
			if diff.Dist(grad) > 1e-5 {
				bad++ // a step of h crosses the medial axis for about h of all points
			}
		}
		if bad > 1 {
			t.Errorf("%s: gradient differs from central differences at %d of 2000 points", name, bad)
		}
	}
}

func TestRoundedBoxDistances(t *testing.T) {
	b := geom.RoundedBox{Center: geom.Vec2{X: 1, Y: 2}, Size: geom.Vec2{X: 2, Y: 1}, Radius: 0.15}
	r2 := math.Sqrt2
	for _, c := range []struct {
		p    geom.Vec2
		d    float64
		grad geom.Vec2
	}{
		{geom.Vec2{X: 3, Y: 2}, 1, geom.Vec2{X: 1}},                // right of it
		{geom.Vec2{X: 1, Y: 1}, 0.5, geom.Vec2{Y: -1}},             // below
		{geom.Vec2{X: 1.2, Y: 2.3}, -0.2, geom.Vec2{Y: 1}},         // inside
		{geom.Vec2{X: 1.8, Y: 2.3}, -0.2, geom.Vec2{X: .5, Y: .5}}, // as far from two faces
		{geom.Vec2{X: 1.85 + 1, Y: 2.35 + 1}, r2 - 0.15, geom.Vec2{X: 1 / r2, Y: 1 / r2}},
	} {
		d, grad := b.SignedDistance(c.p)
		tie := c.grad.X == .5 // rounding decides ties off the exact diagonal
		if math.Abs(d-c.d) > 1e-15*8 || !tie && grad.Dist(c.grad) > 1e-12 {
			t.Errorf("SignedDistance(%v) = %v, %v, want %v, %v", c.p, d, grad, c.d, c.grad)
		}
	}
	square := geom.RoundedBox{Size: geom.Vec2{X: 1, Y: 1}, Radius: 0.1}
	if _, grad := square.SignedDistance(geom.Vec2{X: -0.3, Y: 0.3}); grad != (geom.Vec2{X: -0.5, Y: 0.5}) {
		t.Errorf("gradient on the diagonal = %v, want the mean of both normals", grad)
	}
	if d, grad := (geom.Circle{Radius: 2}).SignedDistance(geom.Vec2{}); d != -2 || grad.Norm() != 1 {
		t.Errorf("circle at its centre = %v, %v, want -2 and a unit gradient", d, grad)
	}
}

func TestUnion(t *testing.T) {
	if d, grad := (geom.Union{}).SignedDistance(geom.Vec2{}); !math.IsInf(d, 1) || grad != (geom.Vec2{}) {
		t.Errorf("empty union = %v, %v, want +Inf and no gradient", d, grad)
	}
	two := solids["disjoint pair"]
	if d, _ := two.SignedDistance(geom.Vec2{X: 0.2}); math.Abs(d-0.1) > 1e-15 {
		t.Errorf("distance to the nearer circle = %v, want 0.1", d)
	}
}

func TestBox(t *testing.T) {
	b := geom.Box{Min: geom.Vec2{X: -1, Y: 0}, Max: geom.Vec2{X: 3, Y: 1}}
	if got := b.Grow(0.5); got.Min != (geom.Vec2{X: -1.5, Y: -0.5}) || got.Max != (geom.Vec2{X: 3.5, Y: 1.5}) {
		t.Errorf("Grow(0.5) = %v", got)
	}
	if b.Center() != (geom.Vec2{X: 1, Y: 0.5}) || b.Size() != (geom.Vec2{X: 4, Y: 1}) {
		t.Errorf("Center, Size = %v, %v", b.Center(), b.Size())
	}
	for p, want := range map[geom.Vec2]bool{{X: 3, Y: 1}: true, {X: 3.01, Y: 1}: false, {X: 0, Y: 0.5}: true, {X: 0, Y: math.NaN()}: false} {
		if b.Contains(p) != want {
			t.Errorf("Contains(%v) = %v, want %v", p, !want, want)
		}
	}
}

// What is in the form of a core and a radius is the solid that it was, up to the rounding by which it grows.
func TestConvexOf(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for name, s := range solids {
		c, ok := geom.ConvexOf(s)
		if _, union := s.(geom.Union); ok == union {
			t.Errorf("%s is convex: %v", name, ok)
		}
		if !ok {
			continue
		}
		if c.Bounds().Size().X <= 0 {
			t.Errorf("%s: bounds %v", name, c.Bounds())
		}
		for range 500 {
			p := randomPoint(r, 1.2)
			was, _ := s.SignedDistance(p)
			is, _ := c.SignedDistance(p)
			if was > 0 && (is > was+1e-15 || is < was-1e-14) {
				t.Fatalf("%s: %v at %v, was %v", name, is, p, was)
			}
			if is < 0 && !c.Bounds().Contains(p) {
				t.Fatalf("%s: %v is inside, and not within %v", name, p, c.Bounds())
			}
		}
	}
	point := geom.Convex{Core: geom.Polygon{{X: 1}}, Radius: 0.5}
	if d, grad := point.SignedDistance(geom.Vec2{X: 1}); d != -0.5 || grad.Norm() != 1 {
		t.Errorf("a disk at its centre: %v, %v", d, grad)
	}
	line := geom.Convex{Core: geom.Polygon{{}, {X: 2}}, Radius: 0.5}
	if d, grad := line.SignedDistance(geom.Vec2{X: 1}); d != -0.5 || grad != (geom.Vec2{Y: -1}) && grad != (geom.Vec2{Y: 1}) {
		t.Errorf("a capsule on its axis: %v, %v", d, grad)
	}
}

func TestUnit(t *testing.T) {
	for _, v := range []geom.Vec2{{X: 3, Y: -4}, {Y: 1e-320}, {X: 1e-200, Y: 1e-200}, {X: -1e200, Y: 1e200}} {
		u := v.Unit()
		if math.Abs(u.Norm()-1) > 1e-15 || math.Abs(u.X*v.Y-u.Y*v.X) > 1e-15*(math.Abs(v.X)+math.Abs(v.Y)) || u.X*v.X < 0 || u.Y*v.Y < 0 {
			t.Errorf("%v at length one is %v", v, u)
		}
	}
	if u := (geom.Vec2{}).Unit(); u != (geom.Vec2{X: 1}) {
		t.Errorf("nothing at length one is %v", u)
	}
}

// A closed curve crosses a line as often as one that is moved a little, also where a corner lies on the line.
func TestSegmentsCross(t *testing.T) {
	at := func(ax, ay, bx, by float64) geom.Segment {
		return geom.Segment{A: geom.Vec2{X: ax, Y: ay}, B: geom.Vec2{X: bx, Y: by}}
	}
	axis := at(0, 0, 4, 0)
	for _, c := range []struct {
		of   geom.Segment
		want bool
	}{
		{at(1, -1, 3, 1), true}, {at(3, 1, 1, -1), true}, {at(1, 1, 3, 2), false}, {at(5, -1, 6, 1), false}, {at(-2, -1, -1, 1), false},
		{at(1, 0, 3, 1), true}, {at(1, -1, 3, 0), false}, // what is on the line counts as on its right
		{at(1, 0, 3, 0), false}, {at(2, 3, 2, 1), false},
	} {
		if axis.Crosses(c.of) != c.want {
			t.Errorf("%v crosses %v: %v, want %v", axis, c.of, !c.want, c.want)
		}
	}
}

func TestSegment(t *testing.T) {
	s := geom.Segment{A: geom.Vec2{X: 1}, B: geom.Vec2{X: 3, Y: 2}}
	for _, c := range []struct {
		p  geom.Vec2
		d  float64
		at geom.Vec2
	}{
		{geom.Vec2{X: 0}, 1, s.A},
		{geom.Vec2{X: 3, Y: 5}, 3, s.B},
		{geom.Vec2{X: 3, Y: 0}, math.Sqrt2, geom.Vec2{X: 2, Y: 1}},
	} {
		at := s.Closest(c.p)
		if d := s.Distance(c.p); math.Abs(d-c.d) > 1e-15 || at.Dist(c.at) > 1e-15 {
			t.Errorf("%v: distance %v at %v, want %v at %v", c.p, d, at, c.d, c.at)
		}
	}
	point := geom.Segment{A: geom.Vec2{X: 1}, B: geom.Vec2{X: 1}}
	if d := point.Distance(geom.Vec2{X: 4, Y: 4}); d != 5 {
		t.Errorf("distance to a point = %v, want 5", d)
	}
}

func TestPoints(t *testing.T) {
	rows := []float32{1, 2, 9, 3, 4, 9, 5}
	got := geom.Points(make([]geom.Vec2, 5), rows, 3)
	if len(got) != 2 || got[0] != (geom.Vec2{X: 1, Y: 2}) || got[1] != (geom.Vec2{X: 3, Y: 4}) {
		t.Errorf("Points = %v, want (1, 2) and (3, 4)", got)
	}
}
