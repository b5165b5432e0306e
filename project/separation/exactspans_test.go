package separation_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/project/separation"
)

var exactSpans = flag.Int("separation.spans", 100, "random spans that the judge of curves is compared on with one in rational numbers")

// hull holds the four points of a cubic without rounding.
type hull [4]exact.Point

// fine returns a grid for all the numbers of spans and a core.
func fine(core geom.Polygon, more []float64, curves ...geom.Curve) exact.Grid {
	all := more
	for _, c := range curves {
		all = append(all, c.Step)
		for k := range c.X {
			all = append(all, c.X[k].X, c.X[k].Y, c.V[k].X, c.V[k].Y)
		}
	}
	for _, v := range core {
		all = append(all, v.X, v.Y)
	}
	return exact.GridFor(9, all...)
}

func pointOf(g exact.Grid, v geom.Vec2) exact.Point {
	return exact.Point{X: g.Number(v.X), Y: g.Number(v.Y)}
}

// hullOf returns the points of a span of a curve, from the numbers that its file holds.
func hullOf(g exact.Grid, c geom.Curve) (b hull) {
	third := func(v geom.Vec2) exact.Point {
		return exact.Point{X: g.ThirdOf(v.X, c.Step), Y: g.ThirdOf(v.Y, c.Step)}
	}
	b[0], b[3] = pointOf(g, c.X[0]), pointOf(g, c.X[1])
	b[1], b[2] = b[0].Add(third(c.V[0])), b[3].Sub(third(c.V[1]))
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
	mean := func(p, q exact.Point) exact.Point { return p.Add(q).Half() }
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

// keeps reports whether the hull of differences of points from the core that they are seen from,
// which does not meet it, keeps a distance.
func (b hull) keeps(g exact.Grid, core []exact.Point, distance *big.Int) bool {
	var points []exact.Point
	for _, p := range b {
		for _, v := range core {
			points = append(points, p.Sub(v))
		}
	}
	return g.Keeps(points, distance)
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

// claim is a gap that a judge tells, of a hull and the core that it is seen from.
type claim struct {
	what                       string
	gap, unhalved, radii, blur float64
	hull                       hull
	core                       []exact.Point
}

// check checks a claim against the exact distance of hulls: the gap is at most that of the eighths,
// and no less than that of the whole but for what rounding may take off, where the whole, of which the
// judge tells the gap without halves, does not meet the core.
func (c claim) check(t *testing.T, g exact.Grid) {
	t.Helper()
	kept := g.Number(c.gap)
	kept.Add(kept, g.Number(c.radii))
	if kept.Cmp(g.Number(0x1p-10)) < 0 {
		return // centres meet, or nearly: what is that deep in contact needs no distance
	}
	if !c.hull.keeps(g, c.core, kept) { // by halves then
		for _, part := range c.hull.eighths() {
			if !part.keeps(g, c.core, kept) {
				t.Fatalf("%s: the gap %v is larger than the exact one", c.what, c.gap)
			}
		}
	}
	more := new(big.Int).Add(kept, g.Number(c.blur))
	if c.unhalved > -c.radii && c.hull.keeps(g, c.core, more.Add(more, big.NewInt(1))) {
		t.Fatalf("%s: the gap %v is smaller than the exact one of the hull by more than %g", c.what, c.gap, c.blur)
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
		m := v[separation.Obstacles]
		of, own := []geom.Curve{a, b}[m.Robot], w.Robots[m.Robot].Radius
		blur := 4*(gaps.RoundingOf(a, 0)+gaps.RoundingOf(b, 0)) + 0x1p-40
		g := fine(solid.Core, []float64{v[separation.Bodies].Value, m.Value, radius, solid.Radius, blur}, a, b)
		unhalved, _ := gaps.Hull(a.Span(0).Sub(b.Span(0)), 3*radius)
		claim{"pair", v[separation.Bodies].Value, unhalved, 3 * radius, blur, hullOf(g, a).minus(hullOf(g, b)), []exact.Point{pointOf(g, geom.Vec2{})}}.check(t, g)
		var core []exact.Point
		for _, p := range solid.Core {
			core = append(core, pointOf(g, p))
		}
		unhalved, _ = gaps.HullTo(solid, of.Span(0), own)
		claim{"solid", m.Value, unhalved, own + solid.Radius, blur, hullOf(g, of), core}.check(t, g)
		if v[separation.Bodies].Value > -3*radius {
			apart++
		}
	}
	if apart < *exactSpans/2 {
		t.Errorf("%d of %d pairs have a distance", apart, *exactSpans)
	}
}
