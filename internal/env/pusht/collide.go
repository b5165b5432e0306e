package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// manifold is how a shape touches a part of the block: up to two points along
// one normal.
type manifold struct {
	normal geom.Vec2 // from the agent or wall to the part
	point  [2]surfacePoint
	n      int
}

// surfacePoint is a place where two shapes touch, on the surface of either.
type surfacePoint struct {
	onOther, onPart geom.Vec2
	key             int8 // names the features that meet
}

// collideAgent finds how the agent touches a part: along the line to its nearest
// point, or, with its centre inside, across its nearest edge.
func (m *manifold) collideAgent(centre geom.Vec2, p *part) {
	m.n = 0
	nearest, normal, distance := p.nearest(centre)
	if distance > agentRadius {
		return
	}
	m.normal = normal
	m.point[0] = surfacePoint{onOther: centre.Add(normal.Scale(agentRadius)), onPart: nearest}
	m.n = 1
}

// nearest returns the point of the outline that is nearest to q, the unit vector
// from q towards it, turned round when q is inside, and the distance along that
// vector, negative inside.
func (p *part) nearest(q geom.Vec2) (on, into geom.Vec2, distance float64) {
	if c, beyond := p.beyond(q); beyond {
		away := c.Sub(q)
		distance = away.Norm()
		return c, away.Scale(1 / distance), distance
	}
	distance = math.Inf(-1)
	for k, n := range p.normal {
		if d := q.Sub(p.corner[k]).Dot(n); d > distance {
			into, distance = n.Scale(-1), d
		}
	}
	return q.Add(into.Scale(distance)), into, distance
}

// beyond finds the corner beyond which q lies along both of its edges, if there is
// one. The part is a rectangle, so that corner is the nearest point.
func (p *part) beyond(q geom.Vec2) (corner geom.Vec2, ok bool) {
	for k, c := range p.corner {
		away := q.Sub(c)
		if away.Dot(p.normal[k]) > 0 && away.Dot(p.normal[(k+1)%4]) > 0 {
			return c, true
		}
	}
	return geom.Vec2{}, false
}

// collideWall finds how a wall touches a part: where the two edges that face each
// other lie opposite.
func (m *manifold) collideWall(i int, p *part) {
	m.n = 0
	normal, distance := p.fromWall(i)
	if distance > wallRadius {
		return
	}
	m.normal = normal
	m.clip(wallEdge(i, normal), p.edge(normal.Scale(-1)))
}

// fromWall returns the unit vector of the shortest way from the middle line of a
// wall to the part and its length; where they overlap, the way out of the least
// depth, with a negative length. Lengths above the radius of the wall are lower
// bounds.
func (p *part) fromWall(i int) (normal geom.Vec2, distance float64) {
	a, b := wall[i].A, wall[i].B
	distance = math.Inf(-1)
	for k, n := range p.normal {
		if d := min(a.Sub(p.corner[k]).Dot(n), b.Sub(p.corner[k]).Dot(n)); d > distance {
			normal, distance = n.Scale(-1), d
		}
	}
	for _, n := range [2]geom.Vec2{wallNormal[i], wallNormal[i].Scale(-1)} {
		if d := p.along(n) - a.Dot(n); d > distance {
			normal, distance = n, d
		}
	}
	if distance <= 0 || distance > wallRadius {
		return normal, distance
	}
	for _, end := range [2]geom.Segment{{A: a, B: b}, {A: b, B: a}} { // corner against end
		c, beyond := p.beyond(end.A)
		if away := c.Sub(end.A); beyond && away.Dot(end.A.Sub(end.B)) > 0 {
			distance = away.Norm()
			return away.Scale(1 / distance), distance
		}
	}
	return normal, distance
}

// along returns the least coordinate of the part along n.
func (p *part) along(n geom.Vec2) float64 {
	return min(p.corner[0].Dot(n), p.corner[1].Dot(n), p.corner[2].Dot(n), p.corner[3].Dot(n))
}

// edge is one side of a shape, with names for its ends.
type edge struct {
	from, to       geom.Vec2
	fromKey, toKey int8
}

// wallEdge returns the side of a wall that faces along n.
func wallEdge(i int, n geom.Vec2) edge {
	if wallNormal[i].Dot(n) > 0 {
		return edge{from: wall[i].A, to: wall[i].B, fromKey: 0, toKey: 1}
	}
	return edge{from: wall[i].B, to: wall[i].A, fromKey: 1, toKey: 0}
}

// edge returns the edge of the part that faces along n.
func (p *part) edge(n geom.Vec2) edge {
	farthest, most := 0, math.Inf(-1)
	for k, c := range p.corner {
		if d := c.Dot(n); d > most {
			farthest, most = k, d
		}
	}
	from, to := (farthest+3)%4, farthest
	if next := (farthest + 1) % 4; n.Dot(p.normal[farthest]) <= n.Dot(p.normal[next]) {
		from, to = farthest, next
	}
	return edge{from: p.corner[from], to: p.corner[to], fromKey: int8(from), toKey: int8(to)}
}

// clip projects the ends of the edges of a wall and a part onto each other along
// the normal and keeps the points at which the shapes overlap.
func (m *manifold) clip(w, p edge) {
	n := m.normal
	wFrom, wTo := w.from.Cross(n), w.to.Cross(n)
	pFrom, pTo := p.from.Cross(n), p.to.Cross(n)
	perWall, perPart := 1/(wTo-wFrom+tiny), 1/(pTo-pFrom+tiny)
	m.keep(surfacePoint{
		onOther: w.from.Lerp(w.to, unit((pTo-wFrom)*perWall)),
		onPart:  p.from.Lerp(p.to, unit((wFrom-pFrom)*perPart)),
		key:     w.fromKey<<2 | p.toKey,
	})
	m.keep(surfacePoint{
		onOther: w.from.Lerp(w.to, unit((pFrom-wFrom)*perWall)),
		onPart:  p.from.Lerp(p.to, unit((wTo-pFrom)*perPart)),
		key:     w.toKey<<2 | p.fromKey,
	})
}

// keep adds a point between the middle line of a wall and a part if the wall,
// grown by its radius, reaches the part there.
func (m *manifold) keep(s surfacePoint) {
	s.onOther = s.onOther.Add(m.normal.Scale(wallRadius))
	if s.onPart.Sub(s.onOther).Dot(m.normal) <= 0 {
		m.point[m.n] = s
		m.n++
	}
}

// tiny, the smallest normal number, keeps the projection onto an edge that runs
// along the normal from dividing by zero.
const tiny = 0x1p-1022

// unit clamps to [0, 1]; NaN becomes 1.
func unit(t float64) float64 {
	if !(t < 1) {
		return 1
	}
	return max(t, 0)
}
