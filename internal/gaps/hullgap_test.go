package gaps_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/gaps"
)

// toHull returns the squared distance of the origin to the hull of some points, and whether
// it is within, where it is the squared depth: from all pairs of points, in rational
// numbers.
func toHull(points []exact.Vec) (squared *big.Rat, within bool) {
	origin := exact.Of(geom.Vec2{})
	var out *big.Rat // least distance to any chord
	var deep *big.Rat
	outside := false
	for i, p := range points {
		out = exact.Min(out, p.Dot(p))
		for _, q := range points[:i] {
			out = exact.Min(out, exact.PointSegment(origin, p, q))
			e := p.Sub(q)
			square := e.Dot(e)
			if square.Sign() == 0 {
				continue
			}
			for _, sign := range []int64{1, -1} {
				n := exact.Vec{X: exact.Mul(e.Y, big.NewRat(sign, 1)), Y: exact.Mul(e.X, big.NewRat(-sign, 1))}
				var least *big.Rat
				for _, v := range points {
					least = exact.Min(least, n.Dot(v))
				}
				outside = outside || least.Sign() >= 0
				deep = exact.Min(deep, new(big.Rat).Quo(exact.Mul(least, least), square))
			}
		}
	}
	if outside || deep == nil {
		return out, false
	}
	return deep, true
}

// drawHull draws the points of a span: long, short, straight, at rest, on a lattice.
func drawHull(r *rand.Rand) geom.Bezier {
	s := drawSegment(r)
	switch r.IntN(5) {
	case 0:
		return geom.Bezier{s.A, s.A, s.B, s.B}
	case 1:
		return geom.Bezier{s.A, exactly32(s.A.Lerp(s.B, 0.25)), exactly32(s.A.Lerp(s.B, 0.75)), s.B}
	default:
		q := drawSegment(r)
		return geom.Bezier{s.A, exactly32(q.A.Lerp(s.A, r.Float64())), exactly32(q.B.Lerp(s.B, r.Float64())), s.B}
	}
}

func TestHullGapAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 5))
	inside := 0
	for range *cases / 2 {
		b := drawHull(r)
		if r.IntN(3) > 0 {
			b = b.Sub(drawHull(r))
		}
		radius := float64(r.IntN(4)) / 16
		var points []exact.Vec
		for _, p := range b {
			points = append(points, exact.Of(p))
		}
		gap, n := gaps.Hull(b, radius)
		squared, within := toHull(points)
		if within {
			inside++
		}
		checkGap(t, "hull", gap, radius, squared, within, size(b[:]...)+radius)
		if d := n.Norm() - 1; d > 0x1p-50 || d < -0x1p-50 {
			t.Fatalf("|n| is off by %v", d)
		}
		if t.Failed() {
			t.Fatalf("%v, radius %v", b, radius)
		}
	}
	if inside == 0 || inside > *cases/4 {
		t.Errorf("%d of %d hold the origin, want some of either kind", inside, *cases/2)
	}
}

func TestHullGapOfSolidsAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 6))
	inside := 0
	for range *cases / 40 {
		b := drawHull(r)
		c, core := drawConvex(r)
		radius := float64(r.IntN(4)) / 16
		total := size(b[:]...) + c.Radius + radius
		var points []exact.Vec
		for _, v := range core {
			total += size(v)
			for _, p := range b {
				points = append(points, exact.Of(p).Sub(exact.Of(v)))
			}
		}
		gap, _ := gaps.HullTo(c, b, radius)
		squared, within := toHull(points)
		if within {
			inside++
		}
		checkGap(t, "solid", gap, c.Radius+radius, squared, within, total)
		if t.Failed() {
			t.Fatalf("%v, core %v, radii %v and %v", b, c.Core, c.Radius, radius)
		}
	}
	if inside == 0 || inside > *cases/80 {
		t.Errorf("%d of %d meet the core, want some of either kind", inside, *cases/40)
	}
}

// The gap of a span is never larger than the distance at any instant of it, and halves
// come nearer to it.
func TestHullGapsOfManyInstants(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 7))
	for range 20 * *cases {
		b := drawHull(r).Sub(drawHull(r))
		gap, _ := gaps.Hull(b, 0.1)
		first, second := b.Halves()
		g1, _ := gaps.Hull(first, 0.1)
		g2, _ := gaps.Hull(second, 0.1)
		halved := min(g1, g2)
		if halved < gap-1e-12 {
			t.Fatalf("%v: gap %v, of its halves %v", b, gap, halved)
		}
		for k := range 17 {
			if d := b.At(float64(k)/16).Norm() - 0.1; d < halved-1e-12 {
				t.Fatalf("%v: gap %v, at instant %d of 16 %v", b, halved, k, d)
			}
		}
	}
}
