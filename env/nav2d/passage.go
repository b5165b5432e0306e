package nav2d

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// passage is a gap between two obstacles, or between one and the border, that is too
// narrow for a robot.
type passage struct {
	a, b  int     // obstacles of the map; b may be a side of the border, see [borderSides]
	width float64 // 0 or less where they touch
	need  float64 // what the robot needs to pass
	at    geom.Vec2
	odd   bool // whether the line from a to b through the gap crosses that from start to goal
}

// borderSides is the number of sides of the border, which are numbered after the obstacles.
const borderSides = 4

// passTolerance is how much of a width rounding may take away.
const passTolerance = 1e-9

// blockingPassage returns the gap whose width, by what it needs, decides whether a disk gets
// from start to goal, both of which are free; ok is false when it gets there, and when an
// obstacle is not convex. The answer is exact, to rounding: no lattice is involved.
//
// Obstacles, grown by what the disk keeps from them, are open convex sets, and so are the
// four sides of the border, as half-planes. Start and goal are parted if and only if a
// closed curve in the union of these sets crosses the straight line from start to goal an
// odd number of times. As the sets are convex, it is enough to look at curves that go from
// set to set through gaps that are too narrow: the cycles of a graph, which union-find with
// a parity for every node looks at. Gaps are added from the narrowest on; the first that
// closes an odd cycle is as wide as the widest way.
//
// Source: the nerve theorem (Borsuk 1948) and Alexander duality in the plane.
func blockingPassage(m *Map, radius, margin float64, start, goal geom.Vec2) (blocking passage, ok bool) {
	search := newGapSearch(m, radius, margin, geom.Segment{A: start, B: goal})
	if search == nil {
		return passage{}, false
	}
	search.narrow()
	return search.parting()
}

// parting looks at the gaps found so far, from the narrowest on, and returns the first that
// closes an odd cycle. Of the gaps it keeps those that decide, one for an obstacle at the
// most: one that closes an even cycle adds nothing to narrower ones, and none is
// looked at behind the first odd one. So crowded obstacles, of which all pairs overlap, take
// no more memory than others.
func (g *gapSearch) parting() (blocking passage, ok bool) {
	n := len(g.solids)
	parity := newParitySets(n + borderSides)
	for side := range borderSides { // meets the next one beyond a corner
		parity.join(n+side, n+(side+1)%borderSides, false)
	}
	var kept []passage
	for _, k := range g.fromTheNarrowest() {
		p := g.gaps[k.gap]
		switch parity.join(p.a, p.b, p.odd) {
		case joined:
			kept = append(kept, p)
		case closesOdd:
			g.gaps = append(g.gaps[:0], append(kept, p)...)
			return p, true
		}
	}
	g.gaps = append(g.gaps[:0], kept...)
	return passage{}, false
}

// ranked is a gap by its number, and its width as a part of what is needed.
type ranked struct {
	share float64
	gap   int
}

// fromTheNarrowest returns the order of the gaps found so far; of equals the first found comes first.
func (g *gapSearch) fromTheNarrowest() []ranked {
	order := make([]ranked, len(g.gaps))
	for k, p := range g.gaps {
		order[k] = ranked{p.width / p.need, k}
	}
	slices.SortFunc(order, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.share, b.share), a.gap-b.gap) })
	return order
}

// gapSearch finds the gaps that are too narrow for a disk.
type gapSearch struct {
	solids         []geom.Convex
	boxes          []geom.Box
	border         geom.Box
	radius, margin float64
	line           geom.Segment
	gaps           []passage
}

// newGapSearch returns nil when an obstacle is not convex, which none of scenes is.
func newGapSearch(m *Map, radius, margin float64, line geom.Segment) *gapSearch {
	g := &gapSearch{border: m.border, radius: radius, margin: margin, line: line}
	for _, o := range m.Obstacles {
		c, ok := o.(geom.Convex)
		if !ok {
			known, ok := o.(interface{ Convex() geom.Convex })
			if !ok {
				return nil
			}
			c = known.Convex()
		}
		g.solids, g.boxes = append(g.solids, c), append(g.boxes, c.Bounds())
	}
	return g
}

// gapsPerObstacle is how many gaps are collected, as a multiple of the obstacles, before
// those that decide are picked.
const gapsPerObstacle = 16

// narrow collects the gaps that the disk does not pass, by a sweep from left to right over
// the boxes around obstacles.
func (g *gapSearch) narrow() {
	need := 2 * (g.radius + g.margin)
	order := make([]int, len(g.solids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(g.boxes[i].Min.X, g.boxes[j].Min.X) })
	var active []int
	room := gapsPerObstacle * (len(g.solids) + borderSides)
	for _, i := range order {
		if len(g.gaps) > room {
			g.parting()
		}
		box := g.boxes[i].Grow(need)
		active = slices.DeleteFunc(active, func(j int) bool { return g.boxes[j].Max.X <= box.Min.X })
		for _, j := range active {
			if g.boxes[j].Min.Y >= box.Max.Y || g.boxes[j].Max.Y <= box.Min.Y {
				continue
			}
			if p := g.between(i, j, need); p.tight() {
				g.gaps = append(g.gaps, p)
			}
		}
		active = append(active, i)
		for side := range borderSides {
			if p := g.beside(i, side); p.tight() {
				g.gaps = append(g.gaps, p)
			}
		}
	}
}

func (p passage) tight() bool { return p.width < p.need*(1-passTolerance) }

// between returns the gap between two obstacles.
func (g *gapSearch) between(i, j int, need float64) passage {
	a, b := g.solids[i], g.solids[j]
	p, q := gaps.Closest(a, b)
	return passage{
		a: i, b: j, width: p.Dist(q) - a.Radius - b.Radius, need: need, at: middle(p, q, a.Radius, b.Radius),
		odd: g.odd(center(a), p, q, center(b)),
	}
}

// beside returns the gap between an obstacle and a side of the border: left, lower, right
// or upper. Beyond it no curve meets the line from start to goal.
func (g *gapSearch) beside(i, side int) passage {
	c := g.solids[i]
	inward := [borderSides]geom.Vec2{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}}[side]
	corner := g.border.Min
	if side >= 2 {
		corner = g.border.Max
	}
	height := func(p geom.Vec2) float64 { return inward.Dot(p.Sub(corner)) }
	p := slices.MinFunc(c.Core, func(a, b geom.Vec2) int { return cmp.Compare(height(a), height(b)) })
	q := p.Sub(inward.Scale(max(height(p), 0)))
	return passage{
		a: i, b: len(g.solids) + side, width: height(p) - c.Radius, need: 2*g.radius + g.margin, at: middle(p, q, c.Radius, 0),
		odd: g.odd(center(c), p, q),
	}
}

// odd reports whether the line through some points crosses that from start to goal an odd
// number of times.
func (g *gapSearch) odd(through ...geom.Vec2) (odd bool) {
	for k := 1; k < len(through); k++ {
		if g.line.Crosses(geom.Segment{A: through[k-1], B: through[k]}) {
			odd = !odd
		}
	}
	return odd
}

// middle returns the middle of what two radii leave of the line between two points.
func middle(p, q geom.Vec2, a, b float64) geom.Vec2 {
	d := p.Dist(q)
	if d == 0 {
		return p
	}
	return p.Lerp(q, min(max((d+a-b)/(2*d), 0), 1))
}

// center returns a point within a convex obstacle.
func center(c geom.Convex) (mean geom.Vec2) {
	for _, v := range c.Core {
		mean = mean.Add(v.Scale(1 / float64(len(c.Core))))
	}
	return mean
}

// paritySets are disjoint sets of nodes that know by how many crossings, even or odd, two
// nodes of a set are apart (union-find, Tarjan 1975).
type paritySets struct {
	parent []int
	odd    []bool // from a node to its parent
}

func newParitySets(n int) *paritySets {
	s := &paritySets{parent: make([]int, n), odd: make([]bool, n)}
	for i := range s.parent {
		s.parent[i] = i
	}
	return s
}

// root returns the root of the set of a node, and whether the way there is odd.
func (s *paritySets) root(i int) (root int, odd bool) {
	for s.parent[i] != i {
		up := s.parent[i]
		s.odd[i] = s.odd[i] != s.odd[up] // halve the path
		s.parent[i] = s.parent[up]
		odd = odd != s.odd[i]
		i = s.parent[i]
	}
	return i, odd
}

// What a way between two nodes does.
const (
	joined = iota // their sets become one
	closesEven
	closesOdd // cycle
)

// join adds a way between two nodes and says what it does.
func (s *paritySets) join(i, j int, odd bool) int {
	a, oddA := s.root(i)
	b, oddB := s.root(j)
	switch {
	case a != b:
		s.parent[a], s.odd[a] = b, odd != (oddA != oddB)
		return joined
	case odd == (oddA != oddB):
		return closesEven
	}
	return closesOdd
}

// names says for people what bounds a passage, by the numbers of the obstacles.
func (p passage) names(obstacles int) [2]string {
	name := func(i int) string {
		if i >= obstacles {
			return "the border"
		}
		return fmt.Sprintf("obstacle %d", i)
	}
	return [2]string{name(min(p.a, p.b)), name(max(p.a, p.b))}
}
