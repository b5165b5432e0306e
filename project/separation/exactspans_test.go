package separation_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/project/separation"
)

var exactSpans = flag.Int("separation.spans", 100, "random spans that the judge of curves is compared on with one in rational numbers")

// hull holds the four points of a cubic without rounding.
type hull [4]exact.Vec

func scaled(v exact.Vec, t *big.Rat) exact.Vec {
	return exact.Vec{X: exact.Mul(v.X, t), Y: exact.Mul(v.Y, t)}
}

func plus(a, b exact.Vec) exact.Vec { return exact.Vec{X: exact.Add(a.X, b.X), Y: exact.Add(a.Y, b.Y)} }

// hullOf returns the points of a span of a curve, from the numbers that its file holds.
func hullOf(c geom.Curve) (b hull) {
	third := new(big.Rat).Quo(exact.Number(c.Step), big.NewRat(3, 1))
	b[0], b[3] = exact.Of(c.X[0]), exact.Of(c.X[1])
	b[1] = plus(b[0], scaled(exact.Of(c.V[0]), third))
	b[2] = b[3].Sub(scaled(exact.Of(c.V[1]), third))
	return b
}

func (b hull) minus(c hull) (out hull) {
	for k := range out {
		out[k] = b[k].Sub(c[k])
	}
	return out
}

// eighths returns the parts of a span by de Casteljau's construction.
func (b hull) eighths() []hull {
	all := []hull{b}
	half := big.NewRat(1, 2)
	mean := func(p, q exact.Vec) exact.Vec { return scaled(plus(p, q), half) }
	for range 3 {
		var next []hull
		for _, b := range all {
			p, q, r := mean(b[0], b[1]), mean(b[1], b[2]), mean(b[2], b[3])
			s, u := mean(p, q), mean(q, r)
			m := mean(s, u)
			next = append(next, hull{b[0], p, s, m}, hull{m, u, r, b[3]})
		}
		all = next
	}
	return all
}

// farther returns the squared distance of the hull of differences of points from the core that
// they are seen from, which does not meet it.
func (b hull) farther(core []exact.Vec) (least *big.Rat) {
	var points []exact.Vec
	for _, p := range b {
		for _, v := range core {
			points = append(points, p.Sub(v))
		}
	}
	origin := exact.Of(geom.Vec2{})
	for i, p := range points {
		for _, q := range points[:i] {
			least = exact.Min(least, exact.PointSegment(origin, p, q))
		}
	}
	return least
}

// drawSpan draws a span near a place, fast or slow or at rest.
func drawSpan(r *rand.Rand, place geom.Vec2) geom.Curve {
	near := func(size float64) geom.Vec2 {
		return geom.Vec2{X: size * (2*r.Float64() - 1), Y: size * (2*r.Float64() - 1)}
	}
	c := geom.Curve{Step: 0.05 + 0.3*r.Float64()}
	x, fast := place.Add(near(2)), math.Pow(10, 1-3*r.Float64())
	c.X = []geom.Vec2{x, x.Add(near(fast * c.Step))}
	c.V = []geom.Vec2{near(fast), near(fast)}
	if r.IntN(6) == 0 {
		c.V[r.IntN(2)] = geom.Vec2{}
	}
	return c
}

// bounded checks a gap that a judge tells against the exact distance of hulls: at most that of the
// eighths, and no less than that of the whole but for what rounding may take off, where the whole, of
// which the judge tells the gap without halves, does not meet the core.
func bounded(t *testing.T, what string, gap, unhalved, radii, blur float64, b hull, core []exact.Vec) {
	t.Helper()
	kept := exact.Add(exact.Number(gap), exact.Number(radii))
	if kept.Cmp(big.NewRat(1, 1024)) < 0 {
		return // centres meet, or nearly: what is that deep in contact needs no distance
	}
	whole := b.farther(core)
	least := whole
	if exact.Mul(kept, kept).Cmp(whole) > 0 { // by halves then
		least = nil
		for _, part := range b.eighths() {
			least = exact.Min(least, part.farther(core))
		}
	}
	if exact.Mul(kept, kept).Cmp(least) > 0 {
		t.Fatalf("%s: the gap %v is larger than the exact one", what, gap)
	}
	kept.Add(kept, exact.Number(blur))
	if unhalved > -radii && exact.Mul(kept, kept).Cmp(whole) < 0 {
		f, _ := whole.Float64()
		t.Fatalf("%s: the gap %v is smaller than the exact one of the hull, %v, by more than %g", what, gap, math.Sqrt(f)-radii, blur)
	}
}

// Gaps of pairs and to solids, wherever on a map projection they are, are those that a judge in
// rational numbers finds in the numbers of the file, but for the stated rounding, and never larger.
func TestSpansAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 21))
	offsets := []float64{0, 1e3, 5e5, 5e6, 1e7}
	apart := 0
	for n := range *exactSpans {
		place := geom.Vec2{X: offsets[n%5] * (r.Float64() - 0.5), Y: offsets[n%5]}
		a, b := drawSpan(r, place), drawSpan(r, place)
		b.Step = a.Step
		w := &separation.World{Motion: separation.Motion{Curved: true, Step: a.Step}}
		radius := 0.05 + 0.3*r.Float64()
		w.Robots = []separation.Robot{{Radius: radius}, {Radius: 2 * radius}}
		at := place.Add(geom.Vec2{X: 3*r.Float64() - 1.5, Y: 3*r.Float64() - 1.5})
		solid := geom.Convex{Core: geom.Rectangle(at, geom.Vec2{X: 0.1 + r.Float64(), Y: 0.1 + r.Float64()}, 3*r.Float64()), Radius: 0.1 * float64(r.IntN(2))}
		w.Obstacles = []geom.Convex{solid}
		v := w.JudgeCurves([]geom.Curve{a, b})
		blur := 4*(a.Rounding(0)+b.Rounding(0)) + 0x1p-40
		unhalved, _ := geom.HullGap(a.Span(0).Sub(b.Span(0)), 3*radius)
		bounded(t, "pair", v[separation.Bodies].Value, unhalved, 3*radius, blur, hullOf(a).minus(hullOf(b)), []exact.Vec{exact.Of(geom.Vec2{})})
		var core []exact.Vec
		for _, p := range solid.Core {
			core = append(core, exact.Of(p))
		}
		m := v[separation.Obstacles]
		of := []geom.Curve{a, b}[m.Robot]
		unhalved, _ = solid.HullGap(of.Span(0), w.Robots[m.Robot].Radius)
		bounded(t, "solid", m.Value, unhalved, w.Robots[m.Robot].Radius+solid.Radius, blur, hullOf(of), core)
		if v[separation.Bodies].Value > -3*radius {
			apart++
		}
	}
	if apart < *exactSpans/2 {
		t.Errorf("%d of %d pairs have a distance", apart, *exactSpans)
	}
}
