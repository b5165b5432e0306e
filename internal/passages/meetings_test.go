package passages

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// wanderers returns motions over the points of a grid, with rests: ways that cross, follow each other and
// end on those of others.
func wanderers(n, spans int, seed uint64) (all []Motion) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range n {
		at := geom.Vec2{X: float64(r.IntN(9)), Y: float64(r.IntN(9))}
		m := Motion{Radius: 0.2 + 0.2*r.Float64()}
		for len(m.Spans) < spans {
			to := at
			switch step := float64(r.IntN(3) - 1); r.IntN(3) {
			case 0:
				to.X += step
			case 1:
				to.Y += step
			}
			m.Spans = append(m.Spans, geom.Straight(at, to))
			at = to
		}
		all = append(all, m)
	}
	return all
}

// everyPair is [New] without any span passed over: every span of every robot is compared with all others, and
// passages follow from others by what is known of all robots at once.
func everyPair(motions []Motion, margin float64) []Passage {
	b := builder{margin: margin, order: &Order{}}
	for _, m := range motions {
		b.ways = append(b.ways, newWay(m, margin))
	}
	var all []Passage
	for i := range motions {
		for j := range motions {
			if i >= j {
				continue
			}
			b.waits = [2][]Passage{}
			for a, p := range motions[i].Spans {
				for c, q := range motions[j].Spans {
					if meet(&b.ways[i].boxes[b.ways[i].spans+a], &b.ways[j].boxes[b.ways[j].spans+c]) {
						b.meet(i, float64(a), j, float64(c), p, q, 1, 0)
					}
				}
			}
			all = append(append(all, staircase(b.waits[0])...), staircase(b.waits[1])...)
		}
	}
	slices.SortFunc(all, func(p, q Passage) int {
		return cmp.Or(cmp.Compare(p.At, q.At), p.Robot-q.Robot, p.After-q.After)
	})
	all, _ = reducedWithin(context.Background(), all, len(motions), len(all)*len(motions)+1)
	slices.SortStableFunc(all, func(p, q Passage) int { return p.Robot - q.Robot })
	return all
}

// Spans that are passed over would have changed nothing.
func TestOrderIsThatOfAllPairsOfSpans(t *testing.T) {
	for seed := range uint64(12) {
		motions := wanderers(7, 20+7*int(seed), seed)
		o, err := New(t.Context(), motions, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := o.Passages, everyPair(motions, 0.01); !slices.Equal(got, want) || len(want) == 0 {
			t.Fatalf("seed %d: %d passages, want %d", seed, len(got), len(want))
		}
	}
}

// Passages that follow from others are the same, however few robots are looked at together.
func TestReducedInParts(t *testing.T) {
	const robots = 9
	r := rand.New(rand.NewPCG(3, 1))
	var all []Passage
	for range 400 {
		at := 1 + float64(r.IntN(200))/4
		p := Passage{r.IntN(robots), at, r.IntN(robots), at - float64(r.IntN(40))/8}
		if p.Robot != p.After && p.Reached > 0 {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(p, q Passage) int {
		return cmp.Or(cmp.Compare(p.At, q.At), p.Robot-q.Robot, p.After-q.After, cmp.Compare(p.Reached, q.Reached))
	})
	want, err := reduced(t.Context(), all, robots)
	if err != nil {
		t.Fatal(err)
	}
	if len(want) == len(all) || len(want) == 0 {
		t.Fatalf("%d of %d passages follow from no others", len(want), len(all))
	}
	for _, room := range []int{1, 700, 2000} {
		if got, err := reducedWithin(t.Context(), all, robots, room); err != nil || !slices.Equal(got, want) {
			t.Errorf("with room for %d progresses %d passages, want %d", room, len(got), len(want))
		}
	}
}

// countdown is a context that is cancelled when it has been asked so often.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// An order that is interrupted, between any two pairs of robots or while passages are left out that follow, ends at once.
func TestOrdersEndWithTheContext(t *testing.T) {
	motions := wanderers(5, 30, 1)
	for left := range 11 {
		o, err := New(&countdown{t.Context(), left}, motions, 0.01)
		if o != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted after %d looks: %v, %v", left, o, err)
		}
	}
	if _, err := New(&countdown{t.Context(), 11}, motions, 0.01); err != nil {
		t.Errorf("ten pairs and one reduction: %v", err)
	}
}

// Who rests on the way of another is compared with it when it comes, and not again for every span of the rest.
func TestRestsAreComparedOnce(t *testing.T) {
	const spans = 4000
	rests, passes := Motion{Radius: 0.3}, Motion{Radius: 0.3}
	for h := range spans {
		x := min(float64(h), 20)
		passes.Spans = append(passes.Spans, geom.Straight(geom.Vec2{X: x}, geom.Vec2{X: min(x+1, 20)}))
		y := max(20-float64(h), 0)
		rests.Spans = append(rests.Spans, geom.Straight(geom.Vec2{X: 5, Y: y}, geom.Vec2{X: 5, Y: max(y-1, 0)}))
	}
	v, w := newWay(rests, 0), newWay(passes, 0)
	compared := 0
	f := follower{late: &v, soon: &w, found: func(int, int) {}, near: func(a, c int) bool {
		compared++
		gap, _ := gaps.Curves(v.Spans[a], w.Spans[c], 0.6)
		return gap < 0
	}}
	f.run()
	if compared == 0 || compared > 10 || f.reached != 6 {
		t.Errorf("%d spans compared, waits until %d is reached; want a few, and 6", compared, f.reached)
	}
}

// TestKeptMargins are those of certified orders: with wider ones there are places that no order covers.
func TestKeptMargins(t *testing.T) {
	met := map[bool]int{}
	for seed := range uint64(12) {
		motions := wanderers(3, 12, seed)
		for k := range motions {
			motions[k].Radius /= 8
		}
		for _, margin := range []float64{0, 0.05, 0.3, 0.7, 1.2} {
			order, err := New(t.Context(), motions, margin)
			if err != nil {
				t.Fatal(err)
			}
			if kept, err := Kept(t.Context(), motions, margin); err != nil || kept != order.Certified() {
				t.Errorf("seed %d: a margin of %v is kept: %v, %v, and the order has %d open places", seed, margin, kept, err, len(order.Open))
			}
			met[order.Certified()]++
		}
	}
	if met[true] < 5 || met[false] < 5 {
		t.Errorf("margins are kept and not: %v", met)
	}
}
