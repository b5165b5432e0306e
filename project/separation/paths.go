package separation

import (
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// paths holds joint paths in float64: the coordinate c of body i at waypoint h is
// x[(2i+c)·waypoints + h]. Traffic follows the robots.
type paths struct {
	bodies, waypoints int
	x                 []float64
	turns             [][]turn // by body, in order of time; nil where nobody has any
}

func newPaths(bodies, waypoints int) *paths {
	return &paths{bodies: bodies, waypoints: waypoints, x: make([]float64, 2*bodies*waypoints)}
}

// read returns joint path k and the traffic of w, both counted from the origin of w.
func (w *World) read(x []tensor.Batch, k int) *paths {
	p := newPaths(len(w.Robots)+len(w.Traffic), x[0].Shape[0])
	for i, b := range x {
		channels := b.Shape[1]
		row := b.Sample(k)
		px, py := p.row(i, 0), p.row(i, 1)
		for h := range p.waypoints {
			px[h], py[h] = float64(row[h*channels]), float64(row[h*channels+1])
		}
		if e := w.Robots[i].Ends; e != nil && w.Motion.Curved {
			p.end(i, [2]geom.Vec2{e[0].Sub(w.Origin), e[1].Sub(w.Origin)})
		}
	}
	w.seen(p, w.Origin)
	return p
}

// seen puts the traffic into paths that count from an origin.
func (w *World) seen(p *paths, origin geom.Vec2) {
	p.turns = nil
	for i, m := range w.Traffic {
		body := len(w.Robots) + i
		px, py := p.row(body, 0), p.row(body, 1)
		path, turns := m.from(origin).split()
		for h := range px {
			q := path[h]
			px[h], py[h] = q.X, q.Y
		}
		if turns == nil {
			continue
		}
		if p.turns == nil {
			p.turns = make([][]turn, p.bodies)
		}
		p.turns[body] = turns
	}
}

// write writes the robots to row k of x, whose numbers they must be exactly.
func (p *paths) write(x []tensor.Batch, k int) {
	for i, b := range x {
		channels := b.Shape[1]
		row := b.Sample(k)
		px, py := p.row(i, 0), p.row(i, 1)
		for h := range p.waypoints {
			row[h*channels], row[h*channels+1] = float32(px[h]), float32(py[h])
		}
	}
}

// row returns one coordinate of a body along its path.
func (p *paths) row(body, c int) []float64 {
	at := (2*body + c) * p.waypoints
	return p.x[at : at+p.waypoints : at+p.waypoints]
}

func (p *paths) at(body, h int) geom.Vec2 {
	at := 2*body*p.waypoints + h
	return geom.Vec2{X: p.x[at], Y: p.x[at+p.waypoints]}
}

// segment returns the way of a body from waypoint h to the next.
func (p *paths) segment(body, h int) geom.Segment {
	return geom.Segment{A: p.at(body, h), B: p.at(body, h+1)}
}

func (p *paths) clone() *paths {
	q := *p
	q.x = append([]float64(nil), p.x...)
	return &q
}

// end puts the ends of a robot where they are exactly, and every waypoint that is one of
// them as it is stored: a robot that stays there does not move by what rounding took off. An end
// is a decimal, and its float32 may be next to the one that was stored.
func (p *paths) end(i int, ends [2]geom.Vec2) {
	px, py := p.row(i, 0), p.row(i, 1)
	last := p.waypoints - 1
	stored := [2]geom.Vec2{{X: px[0], Y: py[0]}, {X: px[last], Y: py[last]}}
	px[0], py[0], px[last], py[last] = ends[0].X, ends[0].Y, ends[1].X, ends[1].Y
	for h := 1; h < last; h++ {
		at := geom.Vec2{X: px[h], Y: py[h]}
		for k, e := range ends {
			if at == stored[k] || at.X == float64(float32(e.X)) && at.Y == float64(float32(e.Y)) {
				px[h], py[h] = e.X, e.Y
				break
			}
		}
	}
}

// roundInner rounds the waypoints between both ends of a robot to float32.
func (p *paths) roundInner(i int) {
	for c := range 2 {
		row := p.row(i, c)
		for h := 1; h < len(row)-1; h++ {
			row[h] = float64(float32(row[h]))
		}
	}
}

// round rounds everything before traffic to float32.
func (p *paths) round(robots int) {
	for i, v := range p.x[:2*robots*p.waypoints] {
		p.x[i] = float64(float32(v))
	}
}
