package nav2d

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

const (
	treeStep      = 0.1
	maxExtensions = 4000
)

// rrtConnect searches a path between two points of free space with two trees
// that grow towards random points and then towards each other. It returns nil
// when it finds none within its budget.
//
// Source: Kuffner and LaValle, "RRT-Connect: an efficient approach to
// single-query path planning" (ICRA 2000).
func rrtConnect(rng *rand.Rand, free freeSpace, start, goal geom.Vec2) []geom.Vec2 {
	if !free.contains(start) || !free.contains(goal) {
		return nil
	}
	if free.connects(start, goal) {
		return []geom.Vec2{start, goal}
	}
	here, there := newTree(start), newTree(goal)
	size := free.bounds.Size()
	for range maxExtensions {
		target := free.bounds.Min.Add(geom.Vec2{X: size.X * rng.Float64(), Y: size.Y * rng.Float64()})
		if i, ok := here.extend(free, target); ok {
			if j, ok := there.connect(free, here.points[i]); ok {
				return join(here.branch(i), there.branch(j), start)
			}
		}
		here, there = there, here
	}
	return nil
}

// tree is a set of points with their parents; point 0 is the root.
type tree struct {
	points  []geom.Vec2
	parents []int
}

func newTree(root geom.Vec2) *tree {
	return &tree{points: []geom.Vec2{root}, parents: []int{-1}}
}

// extend adds one step from the nearest point towards target.
func (t *tree) extend(free freeSpace, target geom.Vec2) (added int, ok bool) {
	from, nearest := 0, math.Inf(1)
	for i, p := range t.points {
		if d := p.Dist(target); d < nearest {
			from, nearest = i, d
		}
	}
	p := target
	if nearest > treeStep {
		p = t.points[from].Lerp(target, treeStep/nearest)
	}
	if !free.connects(t.points[from], p) {
		return 0, false
	}
	t.points = append(t.points, p)
	t.parents = append(t.parents, from)
	return len(t.points) - 1, true
}

// connect extends the tree until it reaches target or an obstacle.
func (t *tree) connect(free freeSpace, target geom.Vec2) (reached int, ok bool) {
	for {
		i, ok := t.extend(free, target)
		if !ok || t.points[i] == target {
			return i, ok
		}
	}
}

// branch returns the points from the root to point i.
func (t *tree) branch(i int) []geom.Vec2 {
	var out []geom.Vec2
	for ; i >= 0; i = t.parents[i] {
		out = append(out, t.points[i])
	}
	for a, b := 0, len(out)-1; a < b; a, b = a+1, b-1 {
		out[a], out[b] = out[b], out[a]
	}
	return out
}

// join puts two branches that end at the same point together, as a path that
// begins at start.
func join(a, b []geom.Vec2, start geom.Vec2) []geom.Vec2 {
	if a[0] != start {
		a, b = b, a
	}
	for i := len(b) - 2; i >= 0; i-- {
		a = append(a, b[i])
	}
	return a
}
