package separation

import (
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/sweep"
)

// halvings is how often a span is halved at most where the hull of its points is too wide
// to show a gap that is there. Three are enough for spans of plans.
const halvings = 3

// JudgeCurves measures a joint motion, one curve per robot with a knot per waypoint, as
// [World.CheckCurves] wants them. Step and Change of robots are lengths per span, so that
// they hold for velocity times the duration of a span, and acceleration times its square,
// at every instant.
//
// Separation is judged by the hulls of the four points of every span, halved up to three
// times; speed by the hull of velocities; acceleration, which is linear on a span, at its
// ends.
func (w *World) JudgeCurves(curves []geom.Curve) Verdict {
	s := w.strips(curves)
	v := w.judgeCurvesNear(curves, s)
	extent := w.extent(curves)
	// The smallest gap is found once it is no larger than those that were looked at.
	looked := w.Margin
	for beyond := extent / 16; v[Bodies].Value > looked && len(w.Robots)+len(w.Traffic) > 1 && beyond < 8*extent; beyond *= 2 {
		v[Bodies] = newVerdict()[Bodies]
		w.judgeStrips(&v, s, beyond)
		looked = w.Margin + beyond
	}
	return v
}

// extent returns how far robots and traffic get from where the first robot begins.
func (w *World) extent(curves []geom.Curve) (far float64) {
	reach := func(points []geom.Vec2) {
		for _, x := range points {
			far = max(far, x.Dist(curves[0].X[0]))
		}
	}
	for _, c := range curves {
		reach(c.X)
	}
	for _, m := range w.Traffic {
		reach(m.Path)
	}
	return far
}

// judgeCurvesNear is JudgeCurves that may miss gaps between bodies that are more than
// the margin.
func (w *World) judgeCurvesNear(curves []geom.Curve, s *strips) Verdict {
	v := newVerdict()
	for i, c := range curves {
		w.judgeLimits(&v, i, c)
		w.judgeTurning(&v, i, c)
	}
	w.judgeStripsAmongObstacles(&v, s)
	w.judgeStripsWithinBorder(&v, s)
	w.judgeStrips(&v, s, 0)
	return v
}

// judgeLimits measures the speed and the acceleration of robot i.
func (w *World) judgeLimits(v *Verdict, i int, c geom.Curve) {
	r := w.Robots[i]
	unit := min(r.unit(0), r.unit(1))
	for h := range c.Spans() {
		d, a, b := c.X[h+1].Sub(c.X[h]), c.V[h].Scale(c.Step), c.V[h+1].Scale(c.Step)
		blur := 4 * roundingOf(d, a, b) / unit // of sums with coefficients up to 6
		if r.Step > 0 {
			middle := d.Scale(3).Sub(a).Sub(b)
			fastest := max(r.longAtMost(a), r.longAtMost(b), r.longAtMost(middle)+blur)
			v.offer(Speed, Margin{Value: r.Step - fastest, Robot: i, Other: -1, Segment: h, reach: unit})
		}
		if r.Change > 0 {
			first := d.Scale(6).Sub(a.Scale(4)).Sub(b.Scale(2))
			last := a.Scale(2).Add(b.Scale(4)).Sub(d.Scale(6))
			change := max(r.longAtMost(first), r.longAtMost(last)) + 2*blur
			v.offer(Acceleration, Margin{Value: r.Change - change, Robot: i, Other: -1, Segment: h, reach: unit})
		}
	}
}

// judgeStrips measures the gaps between bodies.
func (w *World) judgeStrips(v *Verdict, s *strips, beyond float64) {
	if w.Lateness > 0 {
		w.judgeTubes(v, s, beyond)
		return
	}
	order := sweep.New(len(s.hulls) + len(s.other))
	for h := range s.spans + s.rest {
		w.nearStrips(order, s, h, 0x1p-20, w.Margin+beyond, func(i, j int) {
			if h >= s.spans && j < len(s.hulls) {
				return // both rest
			}
			radii := w.radius(i) + w.radius(j)
			s.seen(i, j, h, func(_ geom.Bezier, of strip) {
				if gap, n := narrowest(of.hull, radii+of.blur, halvings, v[Bodies].Value, gaps.Hull); gap < v[Bodies].Value {
					v[Bodies] = Margin{gap, i, j, min(h, s.spans-1), n, 1}
				}
			})
		})
	}
}

// nearStrips calls f for every pair i < j of which one is a robot and whose surfaces may
// be nearer than reach·(sum of their radii) + beyond on span h.
func (w *World) nearStrips(order *sweep.Sweep, s *strips, h int, reach, beyond float64, f func(i, j int)) {
	order.Pairs(func(i int) geom.Box {
		return s.bounds(i, h).Grow(w.radius(i)*(1+reach) + beyond/2)
	}, func(i, j int) {
		if i < len(w.Robots) {
			f(i, j)
		}
	})
}

// narrowest returns the gap of a span by the hull of its points, or of those of its halves
// where that shows more and the gap is less than enough.
func narrowest(b geom.Bezier, radius float64, depth int, enough float64, gapOf func(geom.Bezier, float64) (float64, geom.Vec2)) (float64, geom.Vec2) {
	gap, n := gapOf(b, radius)
	if depth == 0 || gap >= enough {
		return gap, n
	}
	// The ends lie on the curve: where one of them is as near, there is nothing to gain.
	for _, end := range [2]geom.Vec2{b[0], b[3]} {
		if at, _ := gapOf(geom.Bezier{end, end, end, end}, radius); gap >= at-1e-9*radius {
			return gap, n
		}
	}
	first, second := b.Halves()
	g, m := narrowest(first, radius, depth-1, enough, gapOf)
	if other, k := narrowest(second, radius, depth-1, enough, gapOf); other < g {
		g, m = other, k
	}
	if g > gap {
		return g, m
	}
	return gap, n
}

func (w *World) judgeStripsAmongObstacles(v *Verdict, s *strips) {
	near := w.obstaclesByPlace()
	for i, r := range w.Robots {
		for h, hull := range s.hulls[i] {
			near.judge(&v[Obstacles].Value, hull.Bounds(), r.Radius, func(o int) {
				gap, n := narrowest(hull, r.Radius+s.blur[i][h], halvings, v[Obstacles].Value, gaps.To(w.Obstacles[o]))
				v.offer(Obstacles, Margin{gap, i, o, h, n, 1})
			})
		}
	}
}

func (w *World) judgeStripsWithinBorder(v *Verdict, s *strips) {
	if w.Border == nil {
		return
	}
	for i, r := range w.Robots {
		for h, b := range s.hulls[i] {
			gap, n := gaps.Inner(*w.Border, geom.Segment{A: b[0], B: b[3]}, r.Inset)
			if inner, m := gaps.Inner(*w.Border, geom.Segment{A: b[1], B: b[2]}, r.Inset); inner-s.blur[i][h] < gap {
				gap, n = w.withinBorder(b, r.Inset+s.blur[i][h], inner-s.blur[i][h], m)
			}
			v.offer(Border, Margin{gap, i, -1, h, n, 1})
		}
	}
}

// withinBorder returns the gap of a span to the border, by halves where the hull leaves it,
// given what the hull alone shows.
func (w *World) withinBorder(b geom.Bezier, inset, gap float64, n geom.Vec2) (float64, geom.Vec2) {
	if gap >= 0 {
		return gap, n
	}
	least, side := math.Inf(1), n
	pieces := []geom.Bezier{b}
	for range halvings {
		var next []geom.Bezier
		for _, p := range pieces {
			first, second := p.Halves()
			next = append(next, first, second)
		}
		pieces = next
	}
	for _, p := range pieces {
		for _, part := range [2]geom.Segment{{A: p[0], B: p[3]}, {A: p[1], B: p[2]}} {
			if g, m := gaps.Inner(*w.Border, part, inset); g < least {
				least, side = g, m
			}
		}
	}
	return least, side
}
