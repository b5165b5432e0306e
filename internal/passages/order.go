package passages

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// Motion is the way of a disk, span by span, each within the hull of four points.
type Motion struct {
	Radius float64
	Spans  []geom.Bezier
}

// Passage says that a robot goes beyond some progress only when another one has reached
// some progress. On time it has: Reached is never more than At.
type Passage struct {
	Robot   int     `json:"robot"`
	At      float64 `json:"at"` // where it waits
	After   int     `json:"after"`
	Reached float64 `json:"reached"`
}

// Place is where no order keeps two robots apart: they are so near to each other there,
// at the same time, that whoever is a little late is in contact.
type Place struct {
	Robots [2]int  `json:"robots"`
	At     float64 `json:"at"`
}

// Order is who goes first where the ways of a team meet.
type Order struct {
	Robots, Spans int
	Passages      []Passage // by robot, then At; none follows from others
	Open          []Place   // that no order covers; none when executions are free of contact
	Margin        float64   // that robots keep beyond contact, however late, where there is an order
}

// Certified reports whether whoever keeps the order is free of contact, however late.
func (o *Order) Certified() bool { return len(o.Open) == 0 }

// deepest is how often a span is halved at most, to tell two robots apart that are on it at
// the same time.
const deepest = 10

// New returns the order of a joint motion, of equally many spans, in which robots keep
// apart by a margin while they are on time.
//
// Ways are cut into spans. Two spans, of two robots, are either apart wherever on them the
// robots are, or the robot that is there later in the plan waits until the other has left.
// Spans of the same time are halved until one of both holds for all pieces. The error is that of the context, which is
// asked between pairs of robots: hundreds of them have tens of thousands of pairs, and take seconds.
func New(ctx context.Context, motions []Motion, margin float64) (*Order, error) {
	o := &Order{Robots: len(motions), Margin: margin}
	if len(motions) == 0 {
		return o, nil
	}
	o.Spans = len(motions[0].Spans)
	b := newBuilder(motions, margin, o)
	for j := range b.ways {
		for i := range j {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			b.pair(i, j)
		}
	}
	slices.SortFunc(o.Passages, func(p, q Passage) int {
		return cmp.Or(cmp.Compare(p.At, q.At), p.Robot-q.Robot, p.After-q.After)
	})
	var err error
	if o.Passages, err = reduced(ctx, o.Passages, len(motions)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(o.Passages, func(p, q Passage) int { return p.Robot - q.Robot })
	slices.SortFunc(o.Open, func(p, q Place) int {
		return cmp.Or(p.Robots[0]-q.Robots[0], p.Robots[1]-q.Robots[1], cmp.Compare(p.At, q.At))
	})
	return o, nil
}

// Kept reports whether an order can keep a margin everywhere: what [New] finds certified. Spans of the same time alone decide
// that, which are few beside all others. The error is that of the context.
func Kept(ctx context.Context, motions []Motion, margin float64) (bool, error) {
	b := newBuilder(motions, margin, &Order{})
	for j := range b.ways {
		for i := range j {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			b.waits[0], b.waits[1] = b.waits[0][:0], b.waits[1][:0]
			if b.together(i, j); !b.order.Certified() {
				return false, nil
			}
		}
	}
	return true, nil
}

// builder collects the passages of pairs of robots.
type builder struct {
	ways   []way
	margin float64
	order  *Order
	waits  [2][]Passage // of the pair at hand: of the one after the other, and the reverse
}

func newBuilder(motions []Motion, margin float64, o *Order) *builder {
	b := &builder{margin: margin, order: o}
	for _, m := range motions {
		b.ways = append(b.ways, newWay(m, margin))
	}
	return b
}

// together looks at the spans of two robots, i before j, at the same times.
func (b *builder) together(i, j int) {
	v, w := &b.ways[i], &b.ways[j]
	together(v, w, 1, func(h int) { b.meet(i, float64(h), j, float64(h), v.Spans[h], w.Spans[h], 1, 0) })
}

// pair adds the passages of two robots, i before j.
func (b *builder) pair(i, j int) {
	v, w := &b.ways[i], &b.ways[j]
	if !meet(&v.boxes[1], &w.boxes[1]) {
		return
	}
	b.waits[0], b.waits[1] = b.waits[0][:0], b.waits[1][:0]
	b.together(i, j)
	near := func(p, q int) bool { return b.near(i, j, v.Spans[p], w.Spans[q]) }
	for _, f := range []follower{
		{late: v, soon: w, near: near, found: func(a, c int) { b.wait(0, Passage{i, float64(a), j, float64(c + 1)}) }},
		{late: w, soon: v, near: func(a, c int) bool { return near(c, a) }, found: func(a, c int) { b.wait(1, Passage{j, float64(a), i, float64(c + 1)}) }},
	} {
		f.run()
	}
	for k := range b.waits {
		b.order.Passages = append(b.order.Passages, staircase(b.waits[k])...)
	}
}

// near reports whether two robots are not apart wherever they are on two pieces.
func (b *builder) near(i, j int, p, q geom.Bezier) bool {
	gap, _ := gaps.Curves(p, q, b.ways[i].Radius+b.ways[j].Radius+b.margin)
	return !(gap >= 0)
}

// meet orders a piece of robot i that begins at progress a beside one of robot j, i before j, that
// begins at c, both so long.
func (b *builder) meet(i int, a float64, j int, c float64, p, q geom.Bezier, long float64, depth int) {
	if !b.near(i, j, p, q) {
		return
	}
	switch {
	case a > c:
		b.wait(0, Passage{i, a, j, c + long})
	case c > a:
		b.wait(1, Passage{j, c, i, a + long})
	case depth == deepest:
		b.order.Open = append(b.order.Open, Place{[2]int{i, j}, a})
	default:
		half := long / 2
		p1, p2 := p.Halves()
		q1, q2 := q.Halves()
		b.meet(i, a, j, c, p1, q1, half, depth+1)
		b.meet(i, a, j, c+half, p1, q2, half, depth+1)
		b.meet(i, a+half, j, c, p2, q1, half, depth+1)
		b.meet(i, a+half, j, c+half, p2, q2, half, depth+1)
	}
}

func (b *builder) wait(of int, p Passage) { b.waits[of] = append(b.waits[of], p) }

// staircase returns the passages of one robot after another that do not follow from one
// at which it waits earlier, for as much.
func staircase(all []Passage) (out []Passage) {
	slices.SortFunc(all, func(p, q Passage) int { return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(q.Reached, p.Reached)) })
	for _, p := range all {
		if len(out) == 0 || p.Reached > out[len(out)-1].Reached {
			out = append(out, p)
		}
	}
	return out
}
