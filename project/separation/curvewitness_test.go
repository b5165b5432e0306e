package separation_test

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/exact"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

var spans = flag.Int("spans", 4000, "random spans that the judge of curves is judged on in rational numbers")

// exactPart returns the hull points of a cubic between two parameters, in rational numbers,
// from the numbers of its knots: by their own formulas, blossoms.
func exactPart(x0, v0, x1, v1 geom.Vec2, step *big.Rat, from, to *big.Rat) (out [4]exact.Vec) {
	third := exact.Mul(step, big.NewRat(1, 3))
	times := func(v exact.Vec, s *big.Rat) exact.Vec { return exact.Vec{X: exact.Mul(v.X, s), Y: exact.Mul(v.Y, s)} }
	plus := func(a, b exact.Vec) exact.Vec { return exact.Vec{X: exact.Add(a.X, b.X), Y: exact.Add(a.Y, b.Y)} }
	b := [4]exact.Vec{exact.Of(x0), plus(exact.Of(x0), times(exact.Of(v0), third)), exact.Of(x1).Sub(times(exact.Of(v1), third)), exact.Of(x1)}
	if from.Sign() == 0 && to.Cmp(big.NewRat(1, 1)) == 0 {
		return b // the whole of it
	}
	blossom := func(t [3]*big.Rat) exact.Vec {
		c := b
		for k, s := range t {
			for m := range 3 - k {
				c[m] = plus(c[m], times(c[m+1].Sub(c[m]), s))
			}
		}
		return c[0]
	}
	for k := range out {
		var t [3]*big.Rat
		for m := range t {
			t[m] = from
			if m < k {
				t[m] = to
			}
		}
		out[k] = blossom(t)
	}
	return out
}

// holds reports whether n·d ≥ R ‖n‖ for some points d.
func holds(n geom.Vec2, radius *big.Rat, points [4]exact.Vec, core []exact.Vec) bool {
	m := exact.Of(n)
	square := exact.Mul(m.Dot(m), exact.Mul(radius, radius))
	for _, p := range points {
		for _, v := range core {
			d := m.Dot(p.Sub(v))
			if d.Sign() < 0 || exact.Mul(d, d).Cmp(square) < 0 {
				return false
			}
		}
	}
	return true
}

// curveStranger checks witnesses of a joint motion without rounding, and that they leave
// no moment out. It knows cubics by their knots, and nothing of the code that is tested.
type curveStranger struct {
	t      *testing.T
	w      *separation.World
	curves []geom.Curve
}

func (s curveStranger) part(i int, h int, from, to float64) [4]exact.Vec {
	a, b := new(big.Rat).Sub(rat(from), rat(float64(h))), new(big.Rat).Sub(rat(to), rat(float64(h)))
	if i < len(s.curves) {
		c := s.curves[i]
		return exactPart(c.X[h], c.V[h], c.X[h+1], c.V[h+1], rat(c.Step), a, b)
	}
	m := s.w.Traffic[i-len(s.curves)] // its piece around both moments
	k := 0
	times := func(k int) float64 {
		if m.Times == nil {
			return float64(k)
		}
		return m.Times[k]
	}
	for times(k+1) <= from {
		k++
	}
	long := new(big.Rat).Sub(rat(times(k+1)), rat(times(k)))
	a.Quo(new(big.Rat).Sub(rat(from), rat(times(k))), long)
	b.Quo(new(big.Rat).Sub(rat(to), rat(times(k))), long)
	if m.Steps != nil {
		return exactPart(m.Path[k], m.Steps[k], m.Path[k+1], m.Steps[k+1], long, a, b)
	}
	p, q := exact.Of(m.Path[k]), exact.Of(m.Path[k+1])
	e := q.Sub(p)
	at := func(t *big.Rat) exact.Vec {
		return exact.Vec{X: exact.Add(p.X, exact.Mul(e.X, t)), Y: exact.Add(p.Y, exact.Mul(e.Y, t))}
	}
	mean := func(j int64) *big.Rat {
		return exact.Add(exact.Mul(a, big.NewRat(3-j, 3)), exact.Mul(b, big.NewRat(j, 3)))
	}
	return [4]exact.Vec{at(a), at(mean(1)), at(mean(2)), at(b)}
}

// moments returns the times at which the motions of a witness are cut.
func (s curveStranger) moments(of separation.Witness, traffic bool) []float64 {
	out := []float64{of.From}
	for h := math.Floor(of.From) + 1; h < of.To; h++ {
		out = append(out, h)
	}
	if j := of.Other - len(s.curves); traffic && j >= 0 && s.w.Traffic[j].Times != nil {
		out = out[:1]
		for _, t := range s.w.Traffic[j].Times {
			if t > of.From && t < of.To {
				out = append(out, t)
			}
		}
	}
	return append(out, of.To)
}

func (s curveStranger) check(ws separation.Witnesses) {
	s.t.Helper()
	next := map[[3]int]float64{}
	origin := []exact.Vec{exact.Of(geom.Vec2{})}
	for kind, all := range [][]separation.Witness{ws.Bodies, ws.Obstacles} {
		for _, b := range all {
			key := [3]int{kind, b.Robot, b.Other}
			if kind == 1 {
				next[key] = s.untilNear(b.Robot, b.Other, next[key])
			}
			if b.From > next[key] || kind == 0 && b.From < next[key] || !(b.To > b.From) {
				s.t.Fatalf("%+v comes after %v", b, next[key])
			}
			next[key] = max(next[key], b.To)
			cuts := s.moments(b, kind == 0)
			for k := 1; k < len(cuts); k++ {
				h := int(math.Floor(cuts[k-1]))
				points, core, radius := s.part(b.Robot, h, cuts[k-1], cuts[k]), origin, rat(s.w.Robots[b.Robot].Radius)
				if kind == 1 {
					o := s.w.Obstacles[b.Other]
					core, radius = vectors(o.Core...), exact.Add(radius, rat(o.Radius))
				} else {
					for m, q := range s.part(b.Other, h, cuts[k-1], cuts[k]) {
						points[m] = points[m].Sub(q)
					}
					radius = exact.Add(radius, rat(s.radius(b.Other)))
				}
				if !holds(b.N, radius, points, core) {
					s.t.Fatalf("%+v does not hold from %v to %v", b, cuts[k-1], cuts[k])
				}
			}
		}
	}
	last := float64(s.curves[0].Spans())
	for i := range s.curves {
		for j := i + 1; j < len(s.curves)+len(s.w.Traffic); j++ {
			if next[[3]int{0, i, j}] != last {
				s.t.Errorf("bodies %d and %d are proven up to %v of %v", i, j, next[[3]int{0, i, j}], last)
			}
		}
		for o := range s.w.Obstacles {
			if until := s.untilNear(i, o, next[[3]int{1, i, o}]); until != last {
				s.t.Errorf("robot %d and obstacle %d are proven up to %v of %v", i, o, until, last)
			}
		}
	}
}

// untilNear returns when a robot is near an obstacle for the next time after the beginning of a
// span: boxes prove what comes before.
func (s curveStranger) untilNear(i, o int, from float64) float64 {
	c := s.w.Obstacles[o]
	size := exact.Add(rat(s.radius(i)), rat(c.Radius))
	for h := int(from); float64(h) == from && h < s.curves[0].Spans(); h++ {
		points := s.part(i, h, float64(h), float64(h+1))
		if !beyond(points[:], vectors(c.Core...), size) {
			break
		}
		from++
	}
	return from
}

func (s curveStranger) radius(i int) float64 {
	if i < len(s.curves) {
		return s.w.Robots[i].Radius
	}
	return s.w.Traffic[i-len(s.curves)].Radius
}

func TestWitnessesOfCurvesConvinceAStranger(t *testing.T) {
	thorough.Test(t)
	ring := separation.World{}
	for range 16 {
		ring.Robots = append(ring.Robots, separation.Robot{Radius: 0.05})
	}
	solids := crossing(48)
	solids.Margin = 0
	solids.Obstacles = append(solids.Obstacles,
		geom.Convex{Core: geom.Rectangle(geom.Vec2{X: -0.5, Y: 0.12}, geom.Vec2{X: 0.4, Y: 0.1}, 0.6)},
		geom.Convex{Core: geom.Polygon{{X: 0.5, Y: 0.2}, {X: 0.7, Y: 0.3}}, Radius: 0.02})
	turning := amongTurning(rand.New(rand.NewPCG(3, 5)), 48)
	for name, c := range map[string]struct {
		w separation.World
		x []tensor.Batch
	}{
		"obstacles and traffic":     {solids.World, straight(crossingEnds, 48)},
		"traffic that turns":        {turning.World, straight(crossingEnds, 48)},
		"traffic on a curve":        {onCurve(crossing(48).World), straight(crossingEnds, 48)},
		"circle":                    {ring, straight(acrossCircle(16, 0.8), 64)},
		"far from the origin":       {moved(ring, geom.Vec2{X: 4e5, Y: 5e6}), straight(acrossCircle(16, 0.8), 64)},
		"with a solid far away too": {moved(solids.World, geom.Vec2{}), straight(crossingEnds, 48)},
	} {
		t.Run(name, func(t *testing.T) {
			w := curved(c.w)
			out, _ := repairedCurves(t, w, c.x)
			ws, ok, err := w.Witness(t.Context(), out, 0)
			if !ok || err != nil {
				t.Fatalf("no witness for a certified path: %v", err)
			}
			curveStranger{t, w, w.Curves(out, 0)}.check(ws)
			pairs := len(out) * (len(out) - 1) / 2
			if most := 12 * (pairs + len(out)*(len(w.Obstacles)+len(w.Traffic))); len(ws.Bodies)+len(ws.Obstacles) > most {
				t.Errorf("%d witnesses, want at most %d", len(ws.Bodies)+len(ws.Obstacles), most)
			}
		})
	}
}

// onCurve lets traffic swing from side to side.
func onCurve(w separation.World) separation.World {
	m := w.Traffic[0]
	for h := range m.Path {
		s, c := math.Sincos(float64(h) / 3)
		m.Path[h].Y += 0.05 * s
		m.Steps = append(m.Steps, geom.Vec2{X: -2.0 / 47, Y: 0.05 / 3 * c})
	}
	w.Traffic = []separation.Mover{m}
	return w
}

// moved adds a solid far away.
func moved(w separation.World, to geom.Vec2) separation.World {
	w.Obstacles = append(w.Obstacles[:len(w.Obstacles):len(w.Obstacles)], geom.Convex{Core: geom.Rectangle(to.Add(geom.Vec2{X: 9}), geom.Vec2{X: 1, Y: 2}, 1)})
	return w
}

// drawCurve draws a motion of two spans at some place.
func drawCurve(r *rand.Rand, at geom.Vec2) geom.Curve {
	draw := func(scale float64) geom.Vec2 {
		return geom.Vec2{X: scale * r.NormFloat64(), Y: scale * r.NormFloat64()}
	}
	c := geom.Curve{Step: 0.05 + r.Float64()}
	scale := math.Pow(10, -2*r.Float64())
	at = at.Add(draw(0.3))
	for range 3 {
		c.X, c.V = append(c.X, at), append(c.V, draw(scale).Scale(1/c.Step))
		at = at.Add(draw(scale))
	}
	return c
}

// On random spans, pairs and solids, near the origin and far away, what is certified is
// free of contact in rational numbers, its witnesses hold, and what is refused is in contact
// or nearly.
func TestJudgeOfCurvesAgainstRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 9))
	certified := 0
	for range *spans / 4 {
		away := geom.Vec2{}
		if k := r.IntN(9); k > 0 {
			away = geom.Vec2{X: math.Pow(10, float64(k-1)), Y: -math.Pow(10, float64(k-1))}
		}
		a, b := drawCurve(r, away), drawCurve(r, away)
		b.Step = a.Step
		w := curved(separation.World{Robots: []separation.Robot{{Radius: 0.3 * r.Float64()}, {Radius: 0.1 + 0.3*r.Float64()}}})
		if r.IntN(2) == 0 {
			w.Obstacles = []geom.Convex{{Core: geom.Rectangle(away, geom.Vec2{X: 0.1, Y: 0.2}, r.Float64()), Radius: 0.05}}
		}
		curves := []geom.Curve{a, b}
		if err := w.CheckCurves(curves); err != nil {
			t.Fatal(err)
		}
		v := w.JudgeCurves(curves)
		rough := sample(w, curves, 64)
		ws, proven, err := w.WitnessCurves(t.Context(), curves)
		if err != nil {
			t.Fatal(err)
		}
		gap := min(v[separation.Bodies].Value, v[separation.Obstacles].Value)
		size := 1 + math.Abs(away.X)
		if gap > rough.gap+1e-15*size {
			t.Fatalf("gap %v, at many instants %v", gap, rough.gap)
		}
		if rough.gap > 0 && gap < rough.gap-0.05 { // in contact the hull says how deep it is, not the curve
			t.Fatalf("gap %v, at many instants %v: too pessimistic", gap, rough.gap)
		}
		if v.Certified(0) && !proven || rough.gap < 0 && proven {
			t.Fatalf("certified %v, proven %v, at many instants %v", v.Certified(0), proven, rough.gap)
		}
		if proven {
			certified++
			curveStranger{t, w, curves}.check(ws)
		}
	}
	if certified < *spans/40 || certified > *spans/5 {
		t.Errorf("%d of %d are certified, want some of either kind", certified, *spans/4)
	}
}
