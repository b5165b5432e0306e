package nav2d

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/frontier"
)

// latticeStep is the spacing of the lattice that ways are searched on.
const latticeStep = 0.02

// shortestWay returns the length of the way of [Map.Route] for a disk; +Inf if there
// is none.
func shortestWay(m *Map, radius, margin float64, start, goal geom.Vec2) float64 {
	way := m.Route(radius+margin, m.Room(radius), start, goal)
	if way == nil {
		return math.Inf(1)
	}
	return geom.Length(way)
}

// hasty is by how many times the rest of a way is overestimated where any way will do: fewer
// nodes are looked at.
const hasty = 2

// someWay returns the length of a way for a disk that is found sooner than that of [Map.Route],
// which is not longer, to rounding; +Inf if there is none.
func someWay(m *Map, radius, margin float64, start, goal geom.Vec2) float64 {
	free := freeSpace{obstacles: m.index, margin: radius + margin, bounds: m.Room(radius)}
	if free.connects(start, goal) {
		return start.Dist(goal)
	}
	l := newLattice(free, start, goal)
	n := l.search(start, hasty)
	if n < 0 {
		return math.Inf(1)
	}
	return l.cost[n] + l.point(n).Dist(goal)
}

// Route returns the corners of the shortest way from start to goal that A* finds on
// a lattice with eight neighbours, pulled tight, for a point that keeps a distance from
// obstacles and stays within a box; nil if there is none. The map keeps ways that were asked for lately.
//
// Source: Hart, Nilsson and Raphael, "A formal basis for the heuristic
// determination of minimum cost paths" (1968).
func (m *Map) Route(distance float64, within geom.Box, start, goal geom.Vec2) []geom.Vec2 {
	free := freeSpace{obstacles: m.index, margin: distance, bounds: within}
	if free.connects(start, goal) {
		return []geom.Vec2{start, goal}
	}
	return m.ways.find(wayKey{distance, within, start, goal}, func() []geom.Vec2 { return free.shortest(start, goal) })
}

// shortest returns the corners of the shortest way that A* finds; nil if there is none.
func (free freeSpace) shortest(start, goal geom.Vec2) []geom.Vec2 {
	l := newLattice(free, start, goal)
	n := l.search(start, 1)
	if n < 0 {
		return nil
	}
	way := pullTight(free, l.path(n, start, goal))
	slices.Reverse(way)
	return way
}

// lattice is the state of a search over the nodes of a regular grid.
type lattice struct {
	free   freeSpace
	goal   geom.Vec2
	nx, ny int
	cost   []float64
	parent []int
	done   []bool
	known  []int8 // whether a node is free: 1, is not: -1, or not looked at: 0
	open   frontier.Queue[int]
}

// search returns the first node next to the goal that A* comes to when it takes the rest of
// every way to be so many times as long as the straight line; -1 if there is none. With 1 no way to such a node, and on
// to the goal, is shorter.
func (l *lattice) search(start geom.Vec2, weight float64) int {
	for _, n := range l.near(start) {
		l.reach(n, start.Dist(l.point(n)), -1, weight)
	}
	for {
		n, _, ok := l.open.Pop()
		if !ok {
			return -1
		}
		if l.done[n] {
			continue
		}
		l.done[n] = true
		if p := l.point(n); p.Dist(l.goal) < 2*latticeStep && l.free.connects(p, l.goal) {
			return n
		}
		for _, to := range l.neighbours(n) {
			if !l.done[to] {
				l.reach(to, l.cost[n]+l.point(n).Dist(l.point(to)), n, weight)
			}
		}
	}
}

// contains reports whether a node is free.
func (l *lattice) contains(n int) bool {
	if l.known[n] == 0 {
		l.known[n] = -1
		if l.free.contains(l.point(n)) {
			l.known[n] = 1
		}
	}
	return l.known[n] > 0
}

func newLattice(free freeSpace, start, goal geom.Vec2) *lattice {
	size := free.bounds.Size()
	l := &lattice{free: free, goal: goal, nx: int(size.X/latticeStep) + 1, ny: int(size.Y/latticeStep) + 1}
	n := l.nx * l.ny
	l.cost, l.parent, l.done, l.known = make([]float64, n), make([]int, n), make([]bool, n), make([]int8, n)
	for i := range l.cost {
		l.cost[i] = math.Inf(1)
	}
	return l
}

func (l *lattice) point(n int) geom.Vec2 {
	return l.free.bounds.Min.Add(geom.Vec2{X: latticeStep * float64(n/l.ny), Y: latticeStep * float64(n%l.ny)})
}

// near returns the free nodes around a point that it connects to.
func (l *lattice) near(p geom.Vec2) (nodes []int) {
	at := p.Sub(l.free.bounds.Min).Scale(1 / latticeStep)
	for i := int(at.X) - 1; i <= int(at.X)+2; i++ {
		for j := int(at.Y) - 1; j <= int(at.Y)+2; j++ {
			if i >= 0 && j >= 0 && i < l.nx && j < l.ny && l.free.connects(p, l.point(i*l.ny+j)) {
				nodes = append(nodes, i*l.ny+j)
			}
		}
	}
	return nodes
}

func (l *lattice) neighbours(n int) (nodes []int) {
	i, j := n/l.ny, n%l.ny
	for a := max(i-1, 0); a <= min(i+1, l.nx-1); a++ {
		for b := max(j-1, 0); b <= min(j+1, l.ny-1); b++ {
			if to := a*l.ny + b; to != n && l.contains(to) {
				nodes = append(nodes, to)
			}
		}
	}
	return nodes
}

// reach offers a node a way of some cost.
func (l *lattice) reach(n int, cost float64, from int, weight float64) {
	if cost < l.cost[n] {
		l.cost[n], l.parent[n] = cost, from
		l.open.Push(n, cost+weight*l.point(n).Dist(l.goal))
	}
}

// path returns the points of the way to a node, backwards: from the goal to the start.
func (l *lattice) path(n int, start, goal geom.Vec2) []geom.Vec2 {
	reversed := []geom.Vec2{goal}
	for ; n >= 0; n = l.parent[n] {
		reversed = append(reversed, l.point(n))
	}
	return append(reversed, start)
}

// pullTight leaves out the points of a path that its neighbours can see past:
// from every kept point it goes on to the last one in sight.
func pullTight(free freeSpace, path []geom.Vec2) []geom.Vec2 {
	tight := path[:1:1]
	for i := 0; i < len(path)-1; {
		next := i + 1
		for j := len(path) - 1; j > next; j-- {
			if free.connects(path[i], path[j]) {
				next = j
				break
			}
		}
		tight = append(tight, path[next])
		i = next
	}
	return tight
}
