package passages

import (
	"math"
	"math/bits"

	"github.com/go-pcd/pcd/geom"
)

// way is a robot's motion with boxes round its spans, grown by the radius, and round runs of them:
// node 1 has the boxes 2 and 3, and so on down to the spans.
type way struct {
	Motion
	boxes []geom.Box
	spans int // leaves of the tree: a power of two
}

func newWay(m Motion, margin float64) way {
	w := way{Motion: m, spans: 1 << bits.Len(uint(max(len(m.Spans)-1, 0)))}
	w.boxes = make([]geom.Box, 2*w.spans)
	for k := range w.boxes { // nothing meets what is beyond the last span
		w.boxes[k] = geom.Box{Min: geom.Vec2{X: math.Inf(1), Y: math.Inf(1)}, Max: geom.Vec2{X: math.Inf(-1), Y: math.Inf(-1)}}
	}
	for h, s := range m.Spans {
		w.boxes[w.spans+h] = s.Bounds().Grow(m.Radius + margin/2)
	}
	for k := w.spans - 1; k > 0; k-- {
		w.boxes[k] = w.boxes[2*k].Join(w.boxes[2*k+1])
	}
	return w
}

// of returns the spans of a node, the last one excluded.
func (w *way) of(node int) (from, to int) {
	level := bits.Len(uint(node)) - 1
	size := w.spans >> level
	from = (node - 1<<level) * size
	return from, from + size
}

func meet(a, b *geom.Box) bool {
	return a.Min.X <= b.Max.X && b.Min.X <= a.Max.X && a.Min.Y <= b.Max.Y && b.Min.Y <= a.Max.Y
}

// follower finds, span by span of one way, the last span of another one that is driven sooner and comes too near:
// there the one waits for the other. Of those only what is later than before matters, and whole runs of both
// ways are passed over that are apart or too early for that. Otherwise somebody who rests on the way of another
// would be compared again and again, with as many spans as there are in the time.
type follower struct {
	late, soon *way
	near       func(a, c int) bool // spans of late and soon
	found      func(a, c int)
	reached    int   // by the other one, where the follower has to wait so far
	pending    []int // nodes of the sooner way, of all levels
}

func (f *follower) run() {
	if meet(&f.late.boxes[1], &f.soon.boxes[1]) {
		f.descend(1, []int{1})
	}
}

// descend finds the waits on the spans of a node of the later way. The nodes of the sooner one are on its level,
// the latest first.
func (f *follower) descend(node int, nodes []int) {
	if node >= f.late.spans {
		f.span(node-f.late.spans, nodes)
		return
	}
	for child := 2 * node; child <= 2*node+1; child++ {
		_, end := f.late.of(child)
		from := len(f.pending)
		for _, n := range nodes {
			for part := 2*n + 1; part >= 2*n; part-- {
				begins, ends := f.soon.of(part)
				if begins < end-1 && min(ends, end-1) > f.reached && meet(&f.late.boxes[child], &f.soon.boxes[part]) {
					f.pending = append(f.pending, part)
				}
			}
		}
		if below := f.pending[from:]; len(below) > 0 {
			f.descend(child, below)
		}
		f.pending = f.pending[:from]
	}
}

// span finds the wait on a span.
func (f *follower) span(a int, nodes []int) {
	for _, n := range nodes {
		switch c := n - f.soon.spans; {
		case c+1 <= f.reached:
			return
		case c < a && f.near(a, c):
			f.reached = c + 1
			f.found(a, c)
			return
		}
	}
}

// together calls f for the spans of the same time whose boxes meet.
func together(v, w *way, node int, f func(h int)) {
	switch {
	case !meet(&v.boxes[node], &w.boxes[node]):
	case node >= v.spans:
		f(node - v.spans)
	default:
		together(v, w, 2*node, f)
		together(v, w, 2*node+1, f)
	}
}
