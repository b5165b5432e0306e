package geom_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/gaps"
)

// drawPoints draws control points that go somewhere, with velocities at both ends.
func drawPoints(r *rand.Rand, n int) (points []geom.Vec2, start, end geom.Vec2) {
	draw := func(scale float64) geom.Vec2 {
		return geom.Vec2{X: scale * r.NormFloat64(), Y: scale * r.NormFloat64()}
	}
	at := draw(1)
	for range n {
		points = append(points, at)
		at = at.Add(draw(math.Pow(10, -3*r.Float64())))
	}
	if r.IntN(2) == 0 {
		return points, geom.Vec2{}, geom.Vec2{}
	}
	return points, draw(1), draw(1)
}

// scaled returns v times s.
func scaled(v exact.Vec, s *big.Rat) exact.Vec {
	return exact.Vec{X: exact.Mul(v.X, s), Y: exact.Mul(v.Y, s)}
}

func sum(vs ...exact.Vec) exact.Vec {
	out := exact.Vec{X: new(big.Rat), Y: new(big.Rat)}
	for _, v := range vs {
		out = exact.Vec{X: exact.Add(out.X, v.X), Y: exact.Add(out.Y, v.Y)}
	}
	return out
}

// onSpline returns the B-spline of some points at share t of span h, in rational numbers,
// from its four basis functions.
func onSpline(points []geom.Vec2, step float64, start, end geom.Vec2, h int, t *big.Rat) exact.Vec {
	n := len(points)
	all := make([]exact.Vec, n+2) // p_(-1) … p_n
	for k, p := range points {
		all[k+1] = exact.Of(p)
	}
	dt := exact.Number(step)
	u, w := scaled(exact.Of(start), dt), scaled(exact.Of(end), dt)
	half := big.NewRat(1, 2)
	all[1] = scaled(sum(scaled(all[1], big.NewRat(3, 1)), scaled(all[2], big.NewRat(-1, 1)), u), half)
	all[n] = scaled(sum(scaled(all[n], big.NewRat(3, 1)), scaled(all[n-1], big.NewRat(-1, 1)), scaled(w, big.NewRat(-1, 1))), half)
	all[0] = sum(all[2], scaled(u, big.NewRat(-2, 1)))
	all[n+1] = sum(all[n-1], scaled(w, big.NewRat(2, 1)))
	power := func(v *big.Rat, k int) *big.Rat {
		out := big.NewRat(1, 1)
		for range k {
			out = exact.Mul(out, v)
		}
		return out
	}
	poly := func(c ...int64) *big.Rat {
		out := new(big.Rat)
		for k, v := range c {
			out = exact.Add(out, exact.Mul(big.NewRat(v, 6), power(t, k)))
		}
		return out
	}
	basis := []*big.Rat{poly(1, -3, 3, -1), poly(4, 0, -6, 3), poly(1, 3, 3, -3), poly(0, 0, 0, 1)}
	out := exact.Vec{X: new(big.Rat), Y: new(big.Rat)}
	for k, b := range basis {
		out = sum(out, scaled(all[h+k], b))
	}
	return out
}

func float(v exact.Vec) geom.Vec2 {
	x, _ := v.X.Float64()
	y, _ := v.Y.Float64()
	return geom.Vec2{X: x, Y: y}
}

// The cubics through the knots of a natural spline are the B-spline of its control points.
func TestNaturalSplineIsTheBSpline(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 1))
	for range 300 {
		n := 3 + r.IntN(8)
		step := 0.05 + r.Float64()
		points, start, end := drawPoints(r, n)
		c := geom.NaturalSpline(points, step, start, end)
		if x, v, _ := c.At(0); x != points[0] || v.Dist(start) > 1e-12*(1+start.Norm()) {
			t.Fatalf("begins at %v with %v, want %v and %v", x, v, points[0], start)
		}
		if x, v, _ := c.At(c.Duration()); x.Dist(points[n-1]) > 1e-12 || v.Dist(end) > 1e-9*(1+end.Norm()) {
			t.Fatalf("ends at %v with %v, want %v and %v", x, v, points[n-1], end)
		}
		for range 4 {
			h, share := r.IntN(n-1), float64(r.IntN(1024))/1024
			want := float(onSpline(points, step, start, end, h, exact.Number(share)))
			if got := c.Span(h).At(share); got.Dist(want) > 1e-13*(1+want.Norm()) {
				t.Fatalf("%d points, span %d at %v: %v, want %v", n, h, share, got, want)
			}
		}
	}
}

// Velocity and acceleration are the derivatives of position, acceleration is continuous
// at the knots of a spline, and it is the second difference of the control points there.
func TestDerivativesOfCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 2))
	for range 200 {
		step := 0.1 + r.Float64()
		points, start, end := drawPoints(r, 7)
		c := geom.NaturalSpline(points, step, start, end)
		const e = 1e-4
		for range 5 {
			at := (0.01 + 0.98*r.Float64()) * c.Duration()
			x0, v0, _ := c.At(at - e*step)
			x1, v1, _ := c.At(at + e*step)
			_, v, a := c.At(at)
			if d := x1.Sub(x0).Scale(1 / (2 * e * step)); d.Dist(v) > 1e-5*(1+v.Norm()+a.Norm()) {
				t.Fatalf("velocity %v, by differences %v", v, d)
			}
			if d := v1.Sub(v0).Scale(1 / (2 * e * step)); d.Dist(a) > 1e-2*(1+a.Norm()) {
				t.Fatalf("acceleration %v, by differences %v", a, d)
			}
		}
		for h := 2; h < 5; h++ {
			want := points[h-1].Add(points[h+1]).Sub(points[h].Scale(2)).Scale(1 / (step * step))
			left, right := c.Span(h-1).Acceleration(1).Scale(1/(step*step)), c.Span(h).Acceleration(0).Scale(1/(step*step))
			if left.Dist(want) > 1e-10*(1+want.Norm()/step) || right.Dist(want) > 1e-10*(1+want.Norm()/step) {
				t.Fatalf("acceleration at knot %d: %v and %v, want %v", h, left, right, want)
			}
		}
	}
}

func TestCurveStandsBeforeAndAfter(t *testing.T) {
	c := geom.Curve{X: []geom.Vec2{{X: 1}, {X: 2}, {X: 4}}, V: []geom.Vec2{{X: 1}, {X: 1}, {X: 3}}, Step: 0.5}
	for time, want := range map[float64]geom.Vec2{-1: {X: 1}, math.Inf(-1): {X: 1}, 1.5: {X: 4}, math.Inf(1): {X: 4}} {
		if x, v, a := c.At(time); x != want || v != (geom.Vec2{}) || a != (geom.Vec2{}) {
			t.Errorf("at %v: %v, velocity %v, acceleration %v; want %v at rest", time, x, v, a, want)
		}
	}
}

// A curve that is cut is the same curve, and within the hull of every piece.
func TestPiecesOfCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 3))
	for range 2000 {
		p, _, _ := drawPoints(r, 4)
		b := geom.Bezier(p)
		from := r.Float64()
		to := from + (1-from)*r.Float64()
		part := b.Between(from, to)
		n := geom.Vec2{X: r.NormFloat64(), Y: r.NormFloat64()}.Unit()
		for _, t1 := range []float64{0, 0.3, 0.5, 1} {
			want := b.At(from + t1*(to-from))
			if got := part.At(t1); got.Dist(want) > 1e-12*(1+want.Norm()) {
				t.Fatalf("from %v to %v at %v: %v, want %v", from, to, t1, got, want)
			}
			least := math.Inf(1)
			for _, q := range part {
				least = min(least, n.Dot(q))
			}
			if n.Dot(want) < least-1e-12 {
				t.Fatalf("%v lies outside of the hull of %v", want, part)
			}
		}
	}
}

// Points of spans, and of halves of halves of halves of their differences, are off by less
// than is said, in rational numbers.
func TestRoundingOfCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 4))
	for range 3000 {
		away := geom.Vec2{X: math.Pow(10, 7*r.Float64()), Y: math.Pow(10, 7*r.Float64())}
		draw := func() geom.Curve {
			p, start, end := drawPoints(r, 3)
			c := geom.NaturalSpline(p, r.Float64()+0.01, start, end)
			for h := range c.X {
				c.X[h] = c.X[h].Add(away)
			}
			return c
		}
		a, b := draw(), draw()
		d := a.Span(1).Sub(b.Span(1))
		var want [4]exact.Vec
		pa, pb := exactSpan(a, 1), exactSpan(b, 1)
		for k := range want {
			want[k] = pa[k].Sub(pb[k])
		}
		for range 3 {
			d, _ = d.Halves()
			want = firstHalf(want)
		}
		bound := gaps.RoundingOf(a, 1) + gaps.RoundingOf(b, 1)
		for k := range want {
			e := exact.Of(d[k]).Sub(want[k])
			x, _ := e.X.Float64()
			y, _ := e.Y.Float64()
			if math.Abs(x)+math.Abs(y) > bound {
				t.Fatalf("point %d is off by %v, %v; bound %v", k, x, y, bound)
			}
		}
	}
}

// exactSpan returns the hull points of a span from the numbers of a curve.
func exactSpan(c geom.Curve, h int) [4]exact.Vec {
	third := exact.Mul(exact.Number(c.Step), big.NewRat(1, 3))
	a, b := exact.Of(c.X[h]), exact.Of(c.X[h+1])
	return [4]exact.Vec{a, sum(a, scaled(exact.Of(c.V[h]), third)), b.Sub(scaled(exact.Of(c.V[h+1]), third)), b}
}

func firstHalf(b [4]exact.Vec) [4]exact.Vec {
	half := big.NewRat(1, 2)
	mid := func(p, q exact.Vec) exact.Vec { return scaled(sum(p, q), half) }
	p, q, r := mid(b[0], b[1]), mid(b[1], b[2]), mid(b[2], b[3])
	s, u := mid(p, q), mid(q, r)
	return [4]exact.Vec{b[0], p, s, mid(s, u)}
}

// FuzzCurve takes any points for those of a span: halves stay within the hull of the whole
// and nothing is lost between them.
func FuzzCurve(f *testing.F) {
	f.Add(0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0)
	f.Add(1e7, -3.0, 1e7, 5.0, 1e7+1, 2.0, 1e7, 1e-9)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g, h, i float64) {
		whole := geom.Bezier{{X: a, Y: b}, {X: c, Y: d}, {X: e, Y: g}, {X: h, Y: i}}
		size := 0.0
		for _, p := range whole {
			if !p.IsFinite() || math.Abs(p.X)+math.Abs(p.Y) > 1e100 {
				t.Skip()
			}
			size += math.Abs(p.X) + math.Abs(p.Y)
		}
		first, second := whole.Halves()
		if first[0] != whole[0] || second[3] != whole[3] || first[3] != second[0] {
			t.Fatalf("%v and %v do not join as %v does", first, second, whole)
		}
		box := whole.Bounds()
		for _, p := range append(first[:], second[:]...) {
			if out, _ := box.SignedDistance(p); out > 1e-14*size {
				t.Fatalf("%v is outside of the box of %v", p, whole)
			}
		}
	})
}
