package separation

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// WitnessCurves is [World.Witness] of a joint motion, as [World.JudgeCurves] takes it.
func (w *World) WitnessCurves(ctx context.Context, curves []geom.Curve) (out Witnesses, proven bool, err error) {
	s := w.strips(curves)
	if out.Late, proven, err = w.witnessTubes(ctx, s); err != nil {
		return Witnesses{}, false, err
	}
	near := w.obstaclesByPlace()
	for i := range w.Robots {
		if err := ctx.Err(); err != nil {
			return Witnesses{}, false, err
		}
		for j := i + 1; j < len(w.Robots)+len(w.Traffic); j++ {
			pair := strand{radius: w.radius(i) + w.radius(j), core: geom.Polygon{{}}, gap: gaps.Hull}
			spans := s.spans
			if j >= len(w.Robots) {
				spans += s.rest
			}
			for h := range spans {
				s.seen(i, j, h, func(_ geom.Bezier, of strip) { pair.whole = lengthened(pair.whole, of) })
			}
			out.Bodies, proven = pair.cover(out.Bodies, Witness{Robot: i, Other: j}, proven)
		}
		bounds, blur := func(h int) geom.Box { return s.hulls[i][h].Bounds() }, func(h int) float64 { return s.blur[i][h] }
		for _, e := range near.encounters(s.spans, w.radius(i), bounds, blur) {
			c := w.Obstacles[e.Solid]
			pair := strand{radius: w.radius(i) + c.Radius, core: c.Core, gap: gaps.To(geom.Convex{Core: c.Core})}
			for h := e.From; h < e.To; h++ {
				pair.whole = lengthened(pair.whole, strip{float64(h), float64(h + 1), s.hulls[i][h], blur(h)})
			}
			out.Obstacles, proven = pair.cover(out.Obstacles, Witness{Robot: i, Other: e.Solid}, proven)
		}
	}
	return out, proven, nil
}

// lengthened appends a piece, or lets the last one go on where nothing moves in both: what most of a
// crowd does in a maze is wait.
func lengthened(all []strip, p strip) []strip {
	if n := len(all); n > 0 && p.hull == all[n-1].hull && p.hull[1] == p.hull[0] && p.hull[2] == p.hull[0] && p.hull[3] == p.hull[0] {
		all[n-1].to, all[n-1].blur = p.to, max(p.blur, all[n-1].blur)
		return all
	}
	return append(all, p)
}

// strand is a relative motion in pieces that has to stay at least radius away from a core.
type strand struct {
	radius float64
	core   geom.Polygon
	whole  []strip // in order of time, without gaps
	gap    func(geom.Bezier, float64) (float64, geom.Vec2)

	box   *geom.Box // around the core
	parts []strip   // whole, in halves where that takes it
	later []bool    // of parts: the piece began before
}

// aside returns the direction of a coordinate in which the box of a motion lies farther than so
// much beyond another one.
func aside(motion, other geom.Box, far float64) (n geom.Vec2, ok bool) {
	gap, n := gaps.Beyond(motion, other)
	return n, gap > beyondRounding(far)
}

// beyondRounding returns a distance and room for the rounding of who compares with it.
func beyondRounding(far float64) float64 { return far * (1 + 0x1p-20) }

// cover appends as few witnesses as cover everything, see [apart.cover]: a witness goes
// on while the arcs of all points of its pieces have a direction in common.
func (a *strand) cover(dst []Witness, of Witness, proven bool) ([]Witness, bool) {
	if n, ok := a.outright(); ok {
		of.From, of.To, of.N = a.whole[0].from, a.whole[len(a.whole)-1].to, n
		return append(dst, of), proven
	}
	for _, p := range a.whole {
		a.divide(p, halvings, false)
	}
	for from := 0; from < len(a.parts); {
		common, to := a.arc(from), from
		for to+1 < len(a.parts) && !a.later[to+1] { // the hull of two halves is more than both
			next := common.meet(a.arc(to + 1))
			if next.empty() {
				break
			}
			common, to = next, to+1
		}
		n, ok := a.direction(common.middle(), from, to)
		for !ok && to > from { // the arcs only just meet
			to--
			n, ok = a.direction(a.arcs(from, to).middle(), from, to)
		}
		if !ok {
			_, n = a.gap(a.parts[from].hull, a.radius)
			ok = a.confirms(n, a.parts[from:from+1])
		}
		of.From, of.To, of.N = a.parts[from].from, a.parts[to].to, n
		dst, proven = append(dst, of), proven && ok
		from = to + 1
	}
	return dst, proven
}

// divide appends a piece, or its halves where the hull of the whole comes too near; later
// says that part of the piece came before.
func (a *strand) divide(p strip, depth int, later bool) {
	if depth > 0 && !a.far(p) {
		if gap, n := a.gap(p.hull, a.radius+p.blur); gap < 0 && !a.confirms(n, []strip{p}) {
			first, second := p, p
			first.hull, second.hull = p.hull.Halves()
			first.to = (p.from + p.to) / 2
			second.from = first.to
			a.divide(first, depth-1, later)
			a.divide(second, depth-1, true)
			return
		}
	}
	a.parts, a.later = append(a.parts, p), append(a.later, later)
}

// far reports whether the box around a piece is clearly beyond that around the core.
func (a *strand) far(p strip) bool {
	if a.box == nil {
		box := geom.Convex{Core: a.core}.Bounds()
		a.box = &box
	}
	gap, _ := gaps.Beyond(p.hull.Bounds(), *a.box)
	return gap > (a.radius+p.blur)*(1+0x1p-20)
}

// outright returns the direction that parts the chord of all of the motion, if it parts
// all in between.
func (a *strand) outright() (n geom.Vec2, ok bool) {
	first, last := a.whole[0].hull[0], a.whole[len(a.whole)-1].hull[3]
	_, n = a.gap(geom.Straight(first, last), a.radius)
	return a.near(n, a.whole)
}

// arc holds the directions that part all points of a part.
func (a *strand) arc(k int) arc {
	out := arc{whole: true}
	for _, b := range a.parts[k].hull {
		for _, v := range a.core {
			u := b.Sub(v)
			width := math.Acos(min((a.radius+a.parts[k].blur)/max(u.Norm(), 1e-300), 1))
			out = out.meet(arc{center: math.Atan2(u.Y, u.X), lo: -width, hi: width})
		}
	}
	return out
}

func (a *strand) arcs(from, to int) arc {
	out := a.arc(from)
	for k := from + 1; k <= to; k++ {
		out = out.meet(a.arc(k))
	}
	return out
}

func (a *strand) direction(angle float64, from, to int) (geom.Vec2, bool) {
	s, c := math.Sincos(angle)
	return a.near(geom.Vec2{X: c, Y: s}, a.parts[from:to+1])
}

// near returns a direction that the numbers confirm, with few digits where that will do.
func (a *strand) near(exact geom.Vec2, parts []strip) (geom.Vec2, bool) {
	short := geom.Vec2{X: math.Round(exact.X*1000) / 1000, Y: math.Round(exact.Y*1000) / 1000}
	for _, n := range []geom.Vec2{short, exact} {
		if a.confirms(n, parts) {
			return n, true
		}
	}
	return exact, false
}

// confirms reports whether n parts everything, with room for rounding.
func (a *strand) confirms(n geom.Vec2, parts []strip) bool {
	length := n.Norm()
	for _, p := range parts {
		need := (a.radius + p.blur) * length
		for _, b := range p.hull {
			for _, v := range a.core {
				x, y := n.X*(b.X-v.X), n.Y*(b.Y-v.Y)
				if !(x+y-need >= 0x1p-50*(math.Abs(x)+math.Abs(y)+need)) {
					return false
				}
			}
		}
	}
	return true
}
