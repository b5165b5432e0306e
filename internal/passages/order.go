package passages

import (
	"cmp"
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
// Spans of the same time are halved until one of both holds for all pieces.
func New(motions []Motion, margin float64) *Order {
	o := &Order{Robots: len(motions)}
	if len(motions) == 0 {
		return o
	}
	o.Spans = len(motions[0].Spans)
	b := builder{motions: motions, margin: margin, waits: make([][]Passage, len(motions)*len(motions)), order: o}
	b.meetings(func(i, a, j, c int) {
		b.meet(i, float64(a), j, float64(c), motions[i].Spans[a], motions[j].Spans[c], 1, 0)
	})
	for i := range motions {
		for j := range motions {
			o.Passages = append(o.Passages, staircase(b.waits[i*len(motions)+j])...)
		}
	}
	slices.SortFunc(o.Passages, func(p, q Passage) int {
		return cmp.Or(cmp.Compare(p.At, q.At), p.Robot-q.Robot, p.After-q.After)
	})
	o.Passages = reduced(o.Passages, len(motions))
	slices.SortStableFunc(o.Passages, func(p, q Passage) int { return p.Robot - q.Robot })
	slices.SortFunc(o.Open, func(p, q Place) int {
		return cmp.Or(p.Robots[0]-q.Robots[0], p.Robots[1]-q.Robots[1], cmp.Compare(p.At, q.At))
	})
	return o
}

// builder collects the passages of every ordered pair.
type builder struct {
	motions []Motion
	margin  float64
	waits   [][]Passage
	order   *Order
}

// meet orders a piece of robot i that begins at progress a beside one of robot j that
// begins at c, both so long.
func (b *builder) meet(i int, a float64, j int, c float64, p, q geom.Bezier, long float64, depth int) {
	radii := b.motions[i].Radius + b.motions[j].Radius + b.margin
	if gap, _ := gaps.Curves(p, q, radii); gap >= 0 {
		return
	}
	switch {
	case a > c:
		b.wait(Passage{i, a, j, c + long})
	case c > a:
		b.wait(Passage{j, c, i, a + long})
	case depth == deepest:
		b.order.Open = append(b.order.Open, Place{[2]int{min(i, j), max(i, j)}, a})
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

func (b *builder) wait(p Passage) {
	at := p.Robot*len(b.motions) + p.After
	b.waits[at] = append(b.waits[at], p)
}

// box is that of a span of a robot, grown by its radius.
type box struct {
	geom.Box
	robot, span int
}

// meetings calls f for all pairs of spans of different robots whose boxes meet, the
// robots in order.
func (b *builder) meetings(f func(i, a, j, c int)) {
	var all []box
	for i, m := range b.motions {
		for h, s := range m.Spans {
			all = append(all, box{s.Bounds().Grow(m.Radius + b.margin/2), i, h})
		}
	}
	slices.SortFunc(all, func(p, q box) int {
		return cmp.Or(cmp.Compare(p.Min.X, q.Min.X), p.robot-q.robot, p.span-q.span)
	})
	for k := range all {
		p := &all[k]
		for m := k + 1; m < len(all); m++ {
			q := &all[m]
			if q.Min.X > p.Max.X {
				break
			}
			if q.robot == p.robot || q.Min.Y > p.Max.Y || q.Max.Y < p.Min.Y {
				continue
			}
			if p.robot < q.robot {
				f(p.robot, p.span, q.robot, q.span)
			} else {
				f(q.robot, q.span, p.robot, p.span)
			}
		}
	}
}

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

// mark is a moment of a robot from which on others are known to have reached something.
type mark struct {
	at      float64 // it went beyond this
	reached []float64
}

// reduced returns the passages, given in order of At, that do not follow from others: i
// beyond s means that k reached v, k went beyond some s' before v, and there j has reached
// enough.
func reduced(all []Passage, robots int) (out []Passage) {
	known := make([][]mark, robots)
	// before returns what is known once a robot has reached a progress.
	before := func(k int, reached float64) []float64 {
		at, _ := slices.BinarySearchFunc(known[k], reached, func(m mark, r float64) int { return cmp.Compare(m.at, r) })
		if at == 0 {
			return nil
		}
		return known[k][at-1].reached
	}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Robot == all[from].Robot && all[to].At == all[from].At {
			to++
		}
		i, group := all[from].Robot, all[from:to]
		now := make([]float64, robots)
		copy(now, before(i, all[from].At))
		for _, p := range group { // what follows from where the others are
			for k, r := range before(p.After, p.Reached) {
				now[k] = max(now[k], r)
			}
		}
		for _, p := range group {
			if now[p.After] < p.Reached {
				out = append(out, p)
			}
		}
		for _, p := range group {
			now[p.After] = max(now[p.After], p.Reached)
		}
		known[i] = append(known[i], mark{all[from].At, now})
		from = to
	}
	return out
}
