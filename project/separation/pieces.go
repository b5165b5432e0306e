package separation

import (
	"math"
	"sort"

	"github.com/go-pcd/pcd/geom"
)

// turn is where traffic turns, or changes its speed, between two waypoints.
type turn struct {
	at    float64 // counted in waypoints
	point geom.Vec2
}

// split returns the points of a mover at the waypoints and its turns between them.
func (m Mover) split() (path []geom.Vec2, turns []turn) {
	if m.Times == nil {
		return m.Path, nil
	}
	for k, t := range m.Times { // those after the last waypoint as well
		if t == math.Trunc(t) {
			path = append(path, m.Path[k])
		} else {
			turns = append(turns, turn{t, m.Path[k]})
		}
	}
	return path, turns
}

// turnsOn returns the turns of a body between waypoint h and the next.
func (p *paths) turnsOn(body, h int) []turn {
	if p.turns == nil || len(p.turns[body]) == 0 {
		return nil
	}
	all := p.turns[body]
	from := sort.Search(len(all), func(k int) bool { return all[k].at > float64(h) })
	to := sort.Search(len(all), func(k int) bool { return all[k].at > float64(h+1) })
	return all[from:to]
}

// bounds returns the box of a body on the way from waypoint h to the next.
func (p *paths) bounds(body, h int) geom.Box {
	b := p.segment(body, h).Bounds()
	for _, t := range p.turnsOn(body, h) {
		b = b.Join(geom.Box{Min: t.point, Max: t.point})
	}
	return b
}

// piece is a straight piece of the motion of a robot seen from another body.
type piece struct {
	number   int
	from, to float64   // shares of the segment
	u, v     geom.Vec2 // where it begins and ends
	blur     float64   // by how much rounding may have moved these
}

// pieces writes the straight pieces of the motion of robot i seen from body j on segment h
// to dst and returns it: one, unless j is traffic that turns on it.
func (p *paths) pieces(dst []piece, i, j, h int) []piece {
	dst = dst[:0]
	now := piece{to: 1, u: p.at(i, h).Sub(p.at(j, h)), v: p.at(i, h+1).Sub(p.at(j, h+1))}
	turns := p.turnsOn(j, h)
	if len(turns) == 0 {
		return append(dst, now)
	}
	end := now.v
	now.blur = p.blurOn(i, h)
	for _, t := range turns {
		now.to = t.at - float64(h)
		now.v = p.at(i, h).Lerp(p.at(i, h+1), now.to).Sub(t.point)
		dst = append(dst, now)
		now.number, now.from, now.u = now.number+1, now.to, now.v
	}
	now.to, now.v = 1, end
	return append(dst, now)
}

// between returns where a body is at a time, counted in waypoints.
func (p *paths) between(body int, t float64) geom.Vec2 {
	h := int(t)
	if h >= p.waypoints-1 { // it rests
		return p.at(body, p.waypoints-1)
	}
	if share := t - float64(h); share > 0 {
		return p.at(body, h).Lerp(p.at(body, h+1), share)
	}
	return p.at(body, h)
}

// partOf returns where body j is at the ends of a piece of segment h.
func (p *paths) partOf(j, h int, of piece) geom.Segment {
	out, turns := p.segment(j, h), p.turnsOn(j, h)
	if of.number > 0 {
		out.A = turns[of.number-1].point
	}
	if of.number < len(turns) {
		out.B = turns[of.number].point
	}
	return out
}

// blurOn bounds the rounding of a point of robot i between waypoint h and the next.
func (p *paths) blurOn(i, h int) float64 {
	return roundingOf(p.at(i, h), p.at(i, h+1))
}
