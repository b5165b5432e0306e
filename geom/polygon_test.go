package geom_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func rectangle(cx, cy, w, h, angle float64) geom.Polygon {
	s, c := math.Sincos(angle)
	out := geom.Polygon{}
	for _, k := range []geom.Vec2{{X: -w / 2, Y: -h / 2}, {X: w / 2, Y: -h / 2}, {X: w / 2, Y: h / 2}, {X: -w / 2, Y: h / 2}} {
		out = append(out, geom.Vec2{X: cx + c*k.X - s*k.Y, Y: cy + s*k.X + c*k.Y})
	}
	return out
}

func TestIntersectClosedForms(t *testing.T) {
	square := rectangle(0, 0, 2, 2, 0)
	for _, c := range []struct {
		name string
		p, q geom.Polygon
		area float64
	}{
		{"itself", square, square, 4},
		{"inside", square, rectangle(0.1, 0.2, 0.5, 0.4, 1), 0.2},
		{"around", rectangle(0.1, 0.2, 0.5, 0.4, 1), square, 0.2},
		{"a quarter", square, rectangle(1, 1, 2, 2, 0), 1},
		{"octagon", square, rectangle(0, 0, 2, 2, math.Pi/4), 8 * (math.Sqrt2 - 1)},
		{"shared edge", square, rectangle(2, 0, 2, 2, 0), 0},
		{"apart", square, rectangle(5, 5, 1, 1, 0.3), 0},
		{"triangle", square, geom.Polygon{{X: -1, Y: -1}, {X: 3, Y: -1}, {X: -1, Y: 3}}, 4},
		{"empty", square, geom.Polygon{}, 4}, // no clipping line
	} {
		if got := geom.Intersect(nil, c.p, c.q).Area(); math.Abs(got-c.area) > 1e-12 {
			t.Errorf("%s: area = %.15g, want %.15g", c.name, got, c.area)
		}
	}
}

func TestIntersectAgainstSampling(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var dst geom.Polygon
	for range 40 {
		p := rectangle(r.Float64(), r.Float64(), 0.2+r.Float64(), 0.2+r.Float64(), 7*r.Float64())
		q := rectangle(r.Float64(), r.Float64(), 0.2+r.Float64(), 0.2+r.Float64(), 7*r.Float64())
		dst = geom.Intersect(dst, p, q)
		area := dst.Area()
		if back := geom.Intersect(nil, q, p).Area(); math.Abs(area-back) > 1e-12 {
			t.Fatalf("area of p∩q = %v, of q∩p = %v", area, back)
		}
		const side = 200
		in := 0
		for i := range side {
			for j := range side {
				x := geom.Vec2{X: -1 + 3*(float64(i)+0.5)/side, Y: -1 + 3*(float64(j)+0.5)/side}
				if p.Contains(x) && q.Contains(x) {
					in++
				}
			}
		}
		sampled := 9 * float64(in) / (side * side)
		if math.Abs(area-sampled) > 0.02 {
			t.Errorf("area = %v, by counting cells %v", area, sampled)
		}
	}
}

func TestIntersectDoesNotAllocate(t *testing.T) {
	p, q := rectangle(0, 0, 2, 2, 0), rectangle(0.3, 0.2, 2, 1, 0.4)
	dst := make(geom.Polygon, 0, 16)
	if n := testing.AllocsPerRun(100, func() { dst = geom.Intersect(dst, p, q) }); n != 0 {
		t.Errorf("Intersect allocates %v times, want 0", n)
	}
}

func TestAreaSign(t *testing.T) {
	if a := (geom.Polygon{{}, {Y: 1}, {X: 1}}).Area(); a != -0.5 {
		t.Errorf("area of a clockwise triangle = %v, want -0.5", a)
	}
	if a := (geom.Polygon{{}, {X: 1}}).Area(); a != 0 {
		t.Errorf("area of two points = %v, want 0", a)
	}
}

func FuzzIntersect(f *testing.F) {
	f.Add(0.0, 0.0, 1.0, 1.0, 0.0)
	f.Add(0.5, 0.5, 2.0, 0.1, 0.8)
	f.Fuzz(func(t *testing.T, cx, cy, w, h, angle float64) {
		for _, v := range []float64{cx, cy, w, h, angle} {
			if !(math.Abs(v) < 1e3) {
				return
			}
		}
		p := rectangle(cx, cy, math.Abs(w), math.Abs(h), angle)
		unit := rectangle(0, 0, 1, 1, 0)
		area := geom.Intersect(nil, p, unit).Area()
		if !(area >= -1e-9 && area <= min(1, math.Abs(w*h))+1e-9) {
			t.Errorf("area of the intersection with the unit square = %v, areas 1 and %v", area, math.Abs(w*h))
		}
	})
}

func TestIsConvex(t *testing.T) {
	star := geom.Polygon{}
	for k := range 5 {
		s, c := math.Sincos(4 * math.Pi * float64(k) / 5)
		star = append(star, geom.Vec2{X: c, Y: s})
	}
	for _, c := range []struct {
		name string
		p    geom.Polygon
		want bool
	}{
		{"square", rectangle(0, 0, 1, 1, 0.3), true},
		{"clockwise", geom.Polygon{{}, {Y: 1}, {X: 1}}, false},
		{"dent", geom.Polygon{{}, {X: 2}, {X: 1, Y: 0.2}, {Y: 2}}, false},
		{"pentagram", star, false},
		{"flat corner", geom.Polygon{{}, {X: 1}, {X: 2}, {Y: 1}}, false},
		{"two points", geom.Polygon{{}, {X: 1}}, false},
		{"infinite", geom.Polygon{{}, {X: math.Inf(1)}, {Y: 1}}, false},
	} {
		if got := c.p.IsConvex(); got != c.want {
			t.Errorf("%s: IsConvex = %v, want %v", c.name, got, c.want)
		}
	}
}
