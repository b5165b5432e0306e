package gaps_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/gaps"
)

var cases = flag.Int("gaps", 2000, "random segments and pairs that the gaps are judged on in rational numbers")

// The judge of this file computes in rational numbers and without any direction, see
// package exact. It shares nothing with the code under test.

// depth returns the squared length of the shortest shift that parts a segment from
// a core that it meets: over the normals of all sides, the least that the
// projections overlap.
func depth(core []exact.Vec, a, b exact.Vec) (squared *big.Rat) {
	sides := []exact.Vec{b.Sub(a)}
	for i, v := range core {
		sides = append(sides, core[(i+1)%len(core)].Sub(v))
	}
	for _, e := range sides {
		n := exact.Vec{X: e.Y, Y: new(big.Rat).Neg(e.X)}
		square := n.Dot(n)
		if square.Sign() == 0 {
			continue
		}
		for _, sign := range []int64{1, -1} {
			n := exact.Vec{X: exact.Mul(n.X, big.NewRat(sign, 1)), Y: exact.Mul(n.Y, big.NewRat(sign, 1))}
			var least *big.Rat
			for _, v := range core {
				least = exact.Min(exact.Min(least, n.Dot(a.Sub(v))), n.Dot(b.Sub(v)))
			}
			if least.Sign() > 0 {
				least = new(big.Rat)
			}
			squared = exact.Min(squared, new(big.Rat).Quo(exact.Mul(least, least), square))
		}
	}
	if squared == nil { // points
		return new(big.Rat)
	}
	return squared
}

// checkGap compares a gap with ±√squared - radius.
func checkGap(t *testing.T, what string, gap, radius float64, squared *big.Rat, overlap bool, size float64) {
	t.Helper()
	signedSquare := func(v *big.Rat) *big.Rat {
		s := exact.Mul(v, v)
		if v.Sign() < 0 {
			s.Neg(s)
		}
		return s
	}
	want := new(big.Rat).Set(squared)
	if overlap {
		want.Neg(want)
	}
	g := exact.Add(exact.Number(gap), exact.Number(radius))
	if signedSquare(g).Cmp(want) > 0 {
		t.Errorf("%s: gap %v is larger than the exact one", what, gap)
	}
	g.Add(g, exact.Number(gaps.Rounding*size))
	if signedSquare(g).Cmp(want) < 0 {
		t.Errorf("%s: gap %v is smaller than the exact one by more than %g", what, gap, gaps.Rounding*size)
	}
}

func exactly32(v geom.Vec2) geom.Vec2 {
	return geom.Vec2{X: float64(float32(v.X)), Y: float64(float32(v.Y))}
}

// drawSegment draws float32 segments of all kinds: long, short, at rest, through a
// lattice of coincident points.
func drawSegment(r *rand.Rand) geom.Segment {
	point := func() geom.Vec2 { return exactly32(geom.Vec2{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1}) }
	lattice := func() geom.Vec2 { return geom.Vec2{X: float64(r.IntN(9)-4) / 8, Y: float64(r.IntN(9)-4) / 8} }
	a := point()
	switch r.IntN(6) {
	case 0:
		return geom.Segment{A: a, B: a}
	case 1:
		return geom.Segment{A: lattice(), B: lattice()}
	case 2:
		return geom.Segment{A: a, B: point()}
	default:
		step := math.Pow(10, -7*r.Float64())
		return geom.Segment{A: a, B: exactly32(a.Add(geom.Vec2{X: step * r.NormFloat64(), Y: step * r.NormFloat64()}))}
	}
}

func size(vs ...geom.Vec2) (s float64) {
	for _, v := range vs {
		s += math.Abs(v.X) + math.Abs(v.Y)
	}
	return s
}

func TestRelativeGapAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	origin := exact.Of(geom.Vec2{})
	contacts := 0
	for range *cases {
		p, q := drawSegment(r), drawSegment(r)
		if r.IntN(4) == 0 { // coincident starts
			q.A = p.A
		}
		radius := 0.1 * r.Float64()
		if r.IntN(4) == 0 {
			radius = float64(r.IntN(4)) / 8 // tangencies of lattice segments
		}
		u, v := p.A.Sub(q.A), p.B.Sub(q.B)
		gap, n := gaps.Relative(u, v, radius)
		ru, rv := exact.Of(p.A).Sub(exact.Of(q.A)), exact.Of(p.B).Sub(exact.Of(q.B))
		checkGap(t, "pair", gap, radius, exact.PointSegment(origin, ru, rv), false, size(p.A, p.B, q.A, q.B)+radius)
		if math.Abs(n.Norm()-1) > 0x1p-50 {
			t.Fatalf("|n| = %v, want 1", n.Norm())
		}
		if gap < 0 {
			contacts++
		}
		if t.Failed() {
			t.Fatalf("%v and %v, radius %v", p, q, radius)
		}
	}
	if contacts == 0 || contacts == *cases {
		t.Errorf("%d of %d touch, want some of either kind", contacts, *cases)
	}
}

func drawConvex(r *rand.Rand) (geom.Convex, []geom.Vec2) {
	centre := geom.Vec2{X: r.Float64() - 0.5, Y: r.Float64() - 0.5}
	extent := geom.Vec2{X: 0.02 + r.Float64()/2, Y: 0.02 + r.Float64()/2}
	c := geom.Convex{Radius: float64(r.IntN(3)) / 16}
	switch r.IntN(5) {
	case 0:
		c.Core = geom.Polygon{centre}
	case 1:
		c.Core = geom.Polygon{centre, centre.Add(extent)}
	case 2:
		c.Core = geom.Rectangle(centre, extent, 6*r.Float64())
	case 3:
		at := func(x, y int) geom.Vec2 { return geom.Vec2{X: float64(x) / 8, Y: float64(y) / 8} }
		c.Core = geom.Polygon{at(-2, -1), at(1, -2), at(2, 1), at(0, 2)}
	default:
		first := 6 * r.Float64()
		for k := range 5 {
			s, co := math.Sincos(first + 2*math.Pi*float64(k)/5)
			c.Core = append(c.Core, centre.Add(geom.Vec2{X: extent.X * co, Y: extent.X * s}))
		}
	}
	return c, c.Core
}

func TestSegmentGapAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 2))
	inside := 0
	for range *cases / 2 {
		s := drawSegment(r)
		c, core := drawConvex(r)
		radius := float64(r.IntN(4)) / 16
		var vertices []exact.Vec
		total := size(s.A, s.B) + c.Radius + radius
		for _, v := range core {
			vertices = append(vertices, exact.Of(v))
			total += size(v)
		}
		gap, _ := gaps.Segment(c, s, radius)
		squared, meet := exact.Outside(vertices, exact.Of(s.A), exact.Of(s.B))
		if meet {
			inside++
			squared = depth(vertices, exact.Of(s.A), exact.Of(s.B))
		}
		checkGap(t, "obstacle", gap, c.Radius+radius, squared, meet, total)
		if t.Failed() {
			t.Fatalf("%v, core %v, radii %v and %v", s, c.Core, c.Radius, radius)
		}
	}
	if inside == 0 || inside > *cases/4 {
		t.Errorf("%d of %d meet the core, want some of either kind", inside, *cases/2)
	}
}

func TestInnerGapAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	for range *cases {
		s := drawSegment(r)
		b := geom.Box{Min: exactly32(geom.Vec2{X: -r.Float64(), Y: -r.Float64()}), Max: exactly32(geom.Vec2{X: r.Float64(), Y: r.Float64()})}
		radius := float64(r.IntN(4)) / 16
		var want *big.Rat
		for _, p := range []geom.Vec2{s.A, s.B} {
			v, lo, hi := exact.Of(p), exact.Of(b.Min), exact.Of(b.Max)
			for _, d := range []*big.Rat{exact.Sub(v.X, lo.X), exact.Sub(hi.X, v.X), exact.Sub(v.Y, lo.Y), exact.Sub(hi.Y, v.Y)} {
				want = exact.Min(want, d)
			}
		}
		want = exact.Sub(want, exact.Number(radius))
		gap, _ := gaps.Inner(b, s, radius)
		g := exact.Number(gap)
		slack := exact.Number(gaps.Rounding * (size(s.A, s.B, b.Min, b.Max) + radius))
		if g.Cmp(want) > 0 || exact.Add(g, slack).Cmp(want) < 0 {
			t.Fatalf("border %v, %v, radius %v: gap %v, exactly %v", b, s, radius, gap, want.FloatString(20))
		}
	}
}
