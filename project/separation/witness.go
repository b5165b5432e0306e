package separation

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/tensor"
)

// Witness is a direction that proves that a robot keeps apart from something over
// some segments: with R the sum of radii, n·(x − y) ≥ R ‖n‖ at every waypoint h, From
// ≤ h ≤ To, for the positions x of the robot and y of the other body, or x of the
// robot and every vertex y of the core of an obstacle. The relative motion is straight
// between waypoints and everything here is convex, so the same holds at every moment
// in between.
//
// Beside traffic that turns between waypoints, h counts its [Mover.Times] instead, and x is
// on the straight way from the waypoint before to the one after.
//
// Robots on curves are from waypoint to waypoint in the hull of four points, see
// [geom.Curve.Span], and so is the difference of two of them. There From and To are times
// counted in waypoints, eighths of them where the hull of a whole span does not do, or a
// time of traffic: the same holds for the four points of every span, cut to what lies in
// between.
type Witness struct {
	Robot, Other int // Other counts on to traffic, or is an obstacle
	From, To     float64
	// There are the times of the other body, where both may be late: the same holds wherever the
	// robot is from From to To, and the other body anywhere in between these two.
	There [2]float64
	N     geom.Vec2
}

// Witnesses holds the directions of a joint path that is certified: for every pair of
// bodies of which one is a robot all segments, and for every robot and obstacle those on which
// the box around the way does not lie beyond that of the obstacle, in one coordinate, by the
// sum of their radii: of a large map most obstacles are far from most robots. With a
// [World.Lateness] Late has, for every two bodies, blocks of both times that cover all those
// that differ by no more.
type Witnesses struct{ Bodies, Obstacles, Late []Witness }

// Witness returns the directions that prove the gaps of joint path k of x. Where the
// path is in contact there is none, and the report is false. The error is that of the
// context: the pairs of a thousand robots take a while.
func (w *World) Witness(ctx context.Context, x []tensor.Batch, k int) (out Witnesses, proven bool, err error) {
	if w.Motion.Curved {
		return w.WitnessCurves(ctx, w.Curves(x, k))
	}
	p := w.delivered(w.read(x, k))
	proven = true
	near := w.obstaclesByPlace()
	for i := range w.Robots {
		if err := ctx.Err(); err != nil {
			return Witnesses{}, false, err
		}
		for j := i + 1; j < p.bodies; j++ {
			pair, moments := w.pairOf(p, i, j)
			out.Bodies, proven = pair.cover(out.Bodies, Witness{Robot: i, Other: j}, moments, proven)
		}
		bounds := func(h int) geom.Box { return p.segment(i, h).Bounds() }
		for _, e := range near.encounters(p.waypoints-1, w.radius(i), bounds, func(int) float64 { return 0 }) {
			c, first := w.Obstacles[e.Solid], len(out.Obstacles)
			pair := apart{radius: w.radius(i) + c.Radius, at: func(h int, visit func(geom.Vec2)) {
				for _, v := range c.Core {
					visit(p.at(i, e.From+h).Sub(v))
				}
			}}
			out.Obstacles, proven = pair.cover(out.Obstacles, Witness{Robot: i, Other: e.Solid}, e.To-e.From+1, proven)
			for k := first; k < len(out.Obstacles); k++ {
				out.Obstacles[k].From += float64(e.From)
				out.Obstacles[k].To += float64(e.From)
			}
		}
	}
	return out, proven, nil
}

// pairOf returns a robot and another body, and the number of moments at which they have to
// be apart: waypoints, or the times of traffic that has its own.
func (w *World) pairOf(p *paths, i, j int) (a apart, moments int) {
	a = apart{radius: w.radius(i) + w.radius(j), at: func(h int, visit func(geom.Vec2)) { visit(p.at(i, h).Sub(p.at(j, h))) }}
	if j < len(w.Robots) || w.Traffic[j-len(w.Robots)].Times == nil {
		return a, p.waypoints
	}
	m := w.Traffic[j-len(w.Robots)]
	for h := range p.waypoints - 1 {
		a.blur = max(a.blur, p.blurOn(i, h))
	}
	a.at = func(k int, visit func(geom.Vec2)) { visit(p.between(i, m.Times[k]).Sub(m.Path[k])) }
	return a, len(m.Times)
}

// apart is what has to stay apart: at visits the differences at a waypoint, all of
// which must be at least radius along the direction. Rounding may have moved them by blur.
type apart struct {
	radius, blur float64
	at           func(h int, visit func(geom.Vec2))
}

// cover appends as few witnesses as cover all segments: the directions that part a
// difference u at distance R are an arc around that of u, of half-width acos(R/‖u‖),
// and a witness goes on while the arcs of all its waypoints have a direction in
// common.
func (a apart) cover(dst []Witness, of Witness, waypoints int, proven bool) ([]Witness, bool) {
	if n, ok := a.outright(waypoints - 1); ok {
		of.To, of.N = float64(waypoints-1), n
		return append(dst, of), proven
	}
	for from := 0; from < waypoints-1; {
		common := a.arc(from)
		to := from
		for to < waypoints-1 {
			next := common.meet(a.arc(to + 1))
			if next.empty() {
				break
			}
			common, to = next, to+1
		}
		to = max(to, from+1)
		of.From, of.To = float64(from), float64(to)
		n, ok := a.direction(common.middle(), from, to)
		for !ok && to > from+1 { // the arcs only just meet
			to--
			of.To = float64(to)
			n, ok = a.direction(a.arcs(from, to).middle(), from, to)
		}
		if !ok {
			n, ok = a.tight(from)
		}
		of.N = n
		dst, proven = append(dst, of), proven && ok
		from = to
	}
	return dst, proven
}

// outright returns the direction that parts the chord from the first difference of two
// bodies to the last, if it parts all in between: that of most pairs of a large team
// does, and arcs take longer.
func (a apart) outright(last int) (n geom.Vec2, ok bool) {
	var ends [2]geom.Vec2
	for k, h := range [2]int{0, last} {
		differences := 0
		a.at(h, func(u geom.Vec2) { ends[k], differences = u, differences+1 })
		if differences > 1 { // from the vertices of an obstacle
			return n, false
		}
	}
	_, n = gaps.Relative(ends[0], ends[1], a.radius)
	return a.near(n, 0, last)
}

// arc holds the directions that part everything at waypoint h.
func (a apart) arc(h int) arc {
	out := arc{whole: true}
	a.at(h, func(u geom.Vec2) {
		width := math.Acos(min(a.radius/max(u.Norm(), 1e-300), 1))
		out = out.meet(arc{center: math.Atan2(u.Y, u.X), lo: -width, hi: width})
	})
	return out
}

func (a apart) arcs(from, to int) arc {
	out := a.arc(from)
	for h := from + 1; h <= to; h++ {
		out = out.meet(a.arc(h))
	}
	return out
}

// direction returns a direction near an angle that the numbers confirm.
func (a apart) direction(angle float64, from, to int) (geom.Vec2, bool) {
	s, c := math.Sincos(angle)
	return a.near(geom.Vec2{X: c, Y: s}, from, to)
}

// near returns a direction that the numbers confirm, with few digits where that will do.
func (a apart) near(exact geom.Vec2, from, to int) (geom.Vec2, bool) {
	short := geom.Vec2{X: math.Round(exact.X*1000) / 1000, Y: math.Round(exact.Y*1000) / 1000}
	for _, n := range []geom.Vec2{short, exact} {
		if a.confirms(n, from, to) {
			return n, true
		}
	}
	return exact, false
}

// tight returns the best direction for one segment on which there is hardly room for
// any.
func (a apart) tight(h int) (geom.Vec2, bool) {
	var u, v []geom.Vec2
	a.at(h, func(d geom.Vec2) { u = append(u, d) })
	a.at(h+1, func(d geom.Vec2) { v = append(v, d) })
	// Distances from a core are those of the differences from the origin: the
	// obstacle turned about the origin, at rest.
	core := geom.Convex{Core: geom.Polygon{{}}}
	best, n := math.Inf(-1), geom.Vec2{X: 1}
	for i := range u {
		for _, s := range []geom.Segment{{A: u[i], B: v[i]}, {A: u[i], B: u[(i+1)%len(u)]}, {A: v[i], B: v[(i+1)%len(v)]}} {
			_, c := gaps.Segment(core, s, 0)
			if d := a.least(c, h, h+1); d > best {
				best, n = d, c
			}
		}
	}
	return n, a.confirms(n, h, h+1)
}

// least returns the smallest component along n.
func (a apart) least(n geom.Vec2, from, to int) float64 {
	least := math.Inf(1)
	for h := from; h <= to; h++ {
		a.at(h, func(u geom.Vec2) { least = min(least, n.Dot(u)) })
	}
	return least
}

// confirms reports whether n parts everything, with room for rounding.
func (a apart) confirms(n geom.Vec2, from, to int) bool {
	ok := true
	need := (a.radius + a.blur) * n.Norm()
	for h := from; h <= to && ok; h++ {
		a.at(h, func(u geom.Vec2) {
			x, y := n.X*u.X, n.Y*u.Y
			ok = ok && x+y-need >= 0x1p-50*(math.Abs(x)+math.Abs(y)+need)
		})
	}
	return ok
}

// arc is the interval of angles from center+lo to center+hi, at most half a turn.
type arc struct {
	center, lo, hi float64
	whole          bool // all directions
}

func (a arc) empty() bool { return !a.whole && a.lo > a.hi }

func (a arc) middle() float64 { return a.center + (a.lo+a.hi)/2 }

// meet returns the directions that two arcs have in common.
func (a arc) meet(b arc) arc {
	if a.whole {
		return b
	}
	shift := math.Remainder(b.center-a.center, 2*math.Pi)
	return arc{center: a.center, lo: max(a.lo, shift+b.lo), hi: min(a.hi, shift+b.hi)}
}
