package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// The solver visits contacts one after the other, and when the block is held by
// more than one of them the order shows in the result. The order of the reference
// is that of its broad phase, a dynamic tree of bounding boxes, so broadPhase is
// that tree for the three shapes that move; the walls sit in a tree of their own
// that never changes.
//
// A shape has a box larger than itself and is looked at again only when it leaves
// that box. Pairs of boxes that meet are remembered with one of the two shapes
// and visited with it, the newest first.
//
// Source: the bounding-box tree of Chipmunk2D 7.0.3.
type broadPhase struct {
	box   [leaves]geom.Box
	fresh [leaves]bool // reinserted in this substep
	met   [leaves]partners

	// The tree is a pair of leaves beside a single one.
	pair      [2]int
	single    int
	pairFirst bool
}

// Leaves of the tree. Walls follow in the numbering of shapes.
const (
	barLeaf   = bar
	stemLeaf  = stem
	agentLeaf = parts
	leaves    = parts + 1
	firstWall = leaves
)

// partners lists shapes whose boxes meet that of a leaf, the oldest first.
type partners struct {
	shape [leaves + walls]int8
	n     int
}

func (p *partners) add(shape int) {
	p.shape[p.n] = int8(shape)
	p.n++
}

func (p *partners) remove(shape int) {
	kept := 0
	for _, s := range p.shape[:p.n] {
		if int(s) != shape {
			p.shape[kept] = s
			kept++
		}
	}
	p.n = kept
}

// candidate is a part of the block and a shape that may touch it: the agent or a
// wall.
type candidate struct{ other, part int8 }

// candidates holds the pairs of a substep in the order in which they are solved.
type candidates struct {
	pair [parts * (1 + walls)]candidate
	n    int
}

// build inserts the shapes in the order in which the world is built.
func (b *broadPhase) build(agent, bar, stem geom.Box) {
	*b = broadPhase{}
	b.box[agentLeaf] = fatten(agent, geom.Vec2{})
	b.box[barLeaf] = fatten(bar, geom.Vec2{})
	b.box[stemLeaf] = fatten(stem, geom.Vec2{})
	var found candidates
	b.fresh[barLeaf] = true
	b.meetWalls(&found, barLeaf)
	b.meet(&found, barLeaf, agentLeaf, true)
	b.fresh[barLeaf], b.fresh[stemLeaf] = false, true
	b.insert(stemLeaf, barLeaf, agentLeaf)
	b.visit(&found, stemLeaf)
	b.fresh[stemLeaf] = false
}

// update gives a leaf the box of its shape and the velocity of its body.
func (b *broadPhase) update(leaf int, bounds geom.Box, velocity geom.Vec2) {
	b.fresh[leaf] = !covers(b.box[leaf], bounds)
	if !b.fresh[leaf] {
		return
	}
	b.box[leaf] = fatten(bounds, velocity)
	b.met[leaf].n = 0
	for i := range b.met {
		b.met[i].remove(leaf)
	}
	first, second := b.without(leaf)
	b.insert(leaf, first, second)
}

// without returns the two leaves that remain, first branch first.
func (b *broadPhase) without(leaf int) (first, second int) {
	other, single := b.pair[0], b.single
	switch leaf {
	case b.single:
		return b.pair[0], b.pair[1]
	case b.pair[0]:
		other = b.pair[1]
	}
	if b.pairFirst {
		return other, single
	}
	return single, other
}

// insert puts a leaf beside the one of two for which the boxes grow least.
func (b *broadPhase) insert(leaf, first, second int) {
	box := b.box[leaf]
	costFirst := area(b.box[second]) + area(union(b.box[first], box))
	costSecond := area(b.box[first]) + area(union(b.box[second], box))
	if costFirst == costSecond {
		costFirst, costSecond = proximity(b.box[first], box), proximity(b.box[second], box)
	}
	if costSecond < costFirst {
		b.pair, b.single, b.pairFirst = [2]int{leaf, second}, first, false
	} else {
		b.pair, b.single, b.pairFirst = [2]int{leaf, first}, second, true
	}
}

// collect finds the candidates.
func (b *broadPhase) collect(found *candidates) {
	found.n = 0
	if !b.pairFirst {
		b.visit(found, b.single)
	}
	b.visit(found, b.pair[0])
	b.visit(found, b.pair[1])
	if b.pairFirst {
		b.visit(found, b.single)
	}
}

func (b *broadPhase) visit(found *candidates, leaf int) {
	if !b.fresh[leaf] {
		met := &b.met[leaf]
		for i := met.n - 1; i >= 0; i-- {
			found.add(leaf, int(met.shape[i]))
		}
		return
	}
	b.meetWalls(found, leaf)
	switch leaf {
	case b.single:
		b.meet(found, leaf, b.pair[0], !b.pairFirst)
		b.meet(found, leaf, b.pair[1], !b.pairFirst)
	case b.pair[0]:
		b.meet(found, leaf, b.pair[1], true)
		b.meet(found, leaf, b.single, b.pairFirst)
	case b.pair[1]:
		b.meet(found, leaf, b.pair[0], false)
		b.meet(found, leaf, b.single, b.pairFirst)
	}
}

// meetWalls looks for walls. Their tree has the last one first.
func (b *broadPhase) meetWalls(found *candidates, leaf int) {
	if leaf == agentLeaf {
		return // neither can be moved
	}
	for i := walls - 1; i >= 0; i-- {
		if overlap(b.box[leaf], wallBounds[i]) {
			b.met[leaf].add(firstWall + i)
			found.add(leaf, firstWall+i)
		}
	}
}

// meet looks at another leaf. If that comes later in the tree, the pair is
// remembered and visited with it.
func (b *broadPhase) meet(found *candidates, leaf, other int, later bool) {
	if (leaf != agentLeaf && other != agentLeaf) || !overlap(b.box[leaf], b.box[other]) {
		return // parts of one body do not collide
	}
	if later {
		b.met[other].add(leaf)
		return
	}
	if !b.fresh[other] {
		b.met[leaf].add(other)
	}
	found.add(leaf, other)
}

// add appends the pair of two shapes, one of which is a part.
func (f *candidates) add(leaf, other int) {
	if leaf == agentLeaf {
		leaf, other = other, leaf
	}
	f.pair[f.n] = candidate{other: int8(other - agentLeaf), part: int8(leaf)}
	f.n++
}

// fatten leaves room for a tenth of the size on every side, and for a tenth of a
// second of motion; the tenth is a float32.
func fatten(b geom.Box, velocity geom.Vec2) geom.Box {
	tenth := float64(float32(0.1))
	room := b.Size().Scale(tenth)
	v := velocity.Scale(tenth)
	return geom.Box{
		Min: geom.Vec2{X: b.Min.X + min(-room.X, v.X), Y: b.Min.Y + min(-room.Y, v.Y)},
		Max: geom.Vec2{X: b.Max.X + max(room.X, v.X), Y: b.Max.Y + max(room.Y, v.Y)},
	}
}

func covers(outer, inner geom.Box) bool {
	return outer.Min.X <= inner.Min.X && outer.Min.Y <= inner.Min.Y && outer.Max.X >= inner.Max.X && outer.Max.Y >= inner.Max.Y
}

func overlap(a, b geom.Box) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

func union(a, b geom.Box) geom.Box {
	return geom.Box{
		Min: geom.Vec2{X: min(a.Min.X, b.Min.X), Y: min(a.Min.Y, b.Min.Y)},
		Max: geom.Vec2{X: max(a.Max.X, b.Max.X), Y: max(a.Max.Y, b.Max.Y)},
	}
}

func area(b geom.Box) float64 { return (b.Max.X - b.Min.X) * (b.Max.Y - b.Min.Y) }

// proximity is twice the Manhattan distance of the centres.
func proximity(a, b geom.Box) float64 {
	return math.Abs(a.Min.X+a.Max.X-b.Min.X-b.Max.X) + math.Abs(a.Min.Y+a.Max.Y-b.Min.Y-b.Max.Y)
}
