package frontier

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is pushed comes back once, the cheapest of what is there first, while more is pushed.
func TestQueueGivesTheCheapest(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	var q Queue[int]
	var left []float64 // costs of what is in the queue; what costs c is number int(10 c)
	for k := range 1000 {
		if k < 600 && draw.Float64() < 0.6 {
			n := draw.IntN(300)
			q.Push(n, float64(n)/10)
			left = append(left, float64(n)/10)
			continue
		}
		x, cost, ok := q.Pop()
		if ok != (len(left) > 0) {
			t.Fatalf("Pop says %v with %d left", ok, len(left))
		}
		if !ok {
			continue
		}
		least := slices.Index(left, slices.Min(left))
		if cost != left[least] || float64(x)/10 != cost {
			t.Fatalf("got %d of cost %v, want cost %v", x, cost, left[least])
		}
		left = slices.Delete(left, least, least+1)
	}
	if len(left) > 0 {
		t.Errorf("%d were never asked for: the test is lopsided", len(left))
	}
}
