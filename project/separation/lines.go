package separation

import (
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
	"github.com/go-pcd/pcd/internal/sweep"
)

// line asks n·(x_i − x_j) ≥ bound at one waypoint, or n·x_i ≥ bound when j is -1. Where
// traffic turns between waypoints, x_i is the point at a share of the way to the next.
type line struct {
	n     geom.Vec2
	bound float64
	i, j  int
	h     int
	share float64
	key   lineKey
	force float64 // multiplier in units of length, at least 0
}

// lineKey names a line from round to round: the pair, the segment, and which end of which
// of its pieces.
type lineKey struct {
	i, other, segment int
	end               int
}

// Numbers of the repair, relative to the mean radius of those concerned.
const (
	reserve = 0.02 // kept beyond the margin, so that rounding and projections may take it
	reach   = 1.6  // gap up to which lines are kept
)

// linearise returns the lines of everything that is near at p, with forces carried
// over from before, in a fixed order.
func (w *World) linearise(p *paths, before []line, m manner) []line {
	forces := make(map[lineKey]float64, len(before))
	for _, l := range before {
		if l.force > 0 {
			forces[l.key] = l.force
		}
	}
	var out []line
	add := func(n geom.Vec2, bound [2]float64, i, j, other, segment int, of piece) {
		for end, share := range [2]float64{of.from, of.to} {
			h := segment
			if share == 1 {
				h, share = h+1, 0
			}
			if share == 0 && (h == 0 || h == p.waypoints-1) {
				continue
			}
			key := lineKey{i, other, segment, 2*of.number + end}
			out = append(out, line{n: n, bound: bound[end], i: i, j: j, h: h, share: share, key: key, force: forces[key]})
		}
	}
	w.bodyLines(p, m, add)
	w.obstacleLines(p, add)
	w.borderLines(p, add)
	return out
}

// addLine adds the lines at both ends of a piece of a segment.
type addLine func(n geom.Vec2, bound [2]float64, i, j, other, segment int, of piece)

// whole is all of a segment.
var whole = piece{to: 1}

func (w *World) bodyLines(p *paths, m manner, add addLine) {
	s := sweep.New(p.bodies)
	var pieces []piece
	for h := range p.waypoints - 1 {
		w.nearPairs(s, p, h, reach/2, w.Margin, func(i, j int) {
			radii := w.radius(i) + w.radius(j)
			keep := radii + w.Margin + reserve*radii/2
			pieces = p.pieces(pieces, i, j, h)
			for _, of := range pieces {
				gap, n := gaps.Relative(of.u, of.v, radii)
				if gap > w.Margin+reach*radii/2 {
					continue
				}
				if gap < 0 {
					n = m.giveWay(n, of.u, of.v, radii)
				}
				if j < len(w.Robots) {
					add(n, [2]float64{keep, keep}, i, j, j, h, of)
					continue
				}
				there := p.partOf(j, h, of)
				add(n, [2]float64{keep + n.Dot(there.A), keep + n.Dot(there.B)}, i, -1, j, h, of)
			}
		})
	}
}

// manner is how those give way who are in contact.
type manner struct {
	turning float64 // weight of the way round beside the shortest way out
	side    float64 // 1: all pass on the left, -1: on the right
	// aversion is how far on the other side two may be about to pass, in the sum of
	// their radii, and still change to this one.
	aversion float64
}

// manners are tried in turn until a repair succeeds.
var manners = [...]manner{{0.5, 1, 0.05}, {0.5, -1, 0.05}, {0.7, 1, 1}, {0.7, -1, 1}, {0, 1, 0}}

// giveWay turns the direction n of two bodies in contact to one side of their
// relative motion: those who meet head-on pass each other on the same side, both
// giving way, instead of pushing each other back.
func (m manner) giveWay(n, u, v geom.Vec2, radii float64) geom.Vec2 {
	e := v.Sub(u)
	if e.Norm() < 1e-9*radii {
		return n
	}
	side := e.Perp().Unit().Scale(m.side)
	if side.Dot(u.Lerp(v, 0.5)) < -m.aversion*radii {
		side = side.Scale(-1)
	}
	return n.Scale(1 - m.turning).Add(side.Scale(m.turning)).Unit()
}

func (w *World) obstacleLines(p *paths, add addLine) {
	obstacles := w.obstaclesByPlace()
	for i, r := range w.Robots {
		limit := w.Margin + 6*r.Radius
		for h := range p.waypoints - 1 {
			s := p.segment(i, h)
			obstacles.within(limit, s.Bounds(), r.Radius, func(o int) {
				c := w.Obstacles[o]
				gap, n := gaps.Segment(c, s, r.Radius)
				if gap > limit {
					return
				}
				bound := gaps.Support(c, n) + r.Radius*(1+reserve) + w.Margin
				add(n, [2]float64{bound, bound}, i, -1, len(w.Robots)+len(w.Traffic)+o, h, whole)
			})
		}
	}
}

func (w *World) borderLines(p *paths, add addLine) {
	if w.Border == nil {
		return
	}
	first := len(w.Robots) + len(w.Traffic) + len(w.Obstacles)
	for i, r := range w.Robots {
		inner := w.Border.Grow(-r.Inset - reserve*r.Radius/4)
		for h := 0; h+1 < p.waypoints; h += 2 { // both ends of every other segment are all waypoints
			a, b := p.at(i, h), p.at(i, h+1)
			near := reach * r.Radius
			if min(a.X, b.X) < inner.Min.X+near {
				add(geom.Vec2{X: 1}, [2]float64{inner.Min.X, inner.Min.X}, i, -1, first, h, whole)
			}
			if max(a.X, b.X) > inner.Max.X-near {
				add(geom.Vec2{X: -1}, [2]float64{-inner.Max.X, -inner.Max.X}, i, -1, first+1, h, whole)
			}
			if min(a.Y, b.Y) < inner.Min.Y+near {
				add(geom.Vec2{Y: 1}, [2]float64{inner.Min.Y, inner.Min.Y}, i, -1, first+2, h, whole)
			}
			if max(a.Y, b.Y) > inner.Max.Y-near {
				add(geom.Vec2{Y: -1}, [2]float64{-inner.Max.Y, -inner.Max.Y}, i, -1, first+3, h, whole)
			}
		}
	}
}
