package kernel

import (
	"sync"
	"sync/atomic"

	"github.com/go-pcd/pcd/internal/parallel"
)

// Crew is a number of goroutines that share the tasks of an operation on a few large
// arrays, and the memory that they work in. Its operations follow one another: a
// crew is used by one goroutine at a time.
//
// Tasks write to places of their own and no sum is split by the number of
// goroutines, so that a crew of any size gives the same bits.
type Crew struct {
	hands  []*Hand
	memory arena // of the operation under way
}

// Hand is the memory of one goroutine of a crew.
type Hand struct{ memory arena }

// NewCrew returns a crew of the given number of goroutines, at least one.
func NewCrew(size int) *Crew {
	c := &Crew{hands: make([]*Hand, max(1, size))}
	for i := range c.hands {
		c.hands[i] = new(Hand)
	}
	return c
}

// Size returns the number of goroutines.
func (c *Crew) Size() int { return len(c.hands) }

// Do calls do for the tasks 0 ... tasks-1, several at a time, and returns when all
// are done. The memory of the hand is the task's until it returns.
func (c *Crew) Do(tasks int, do func(task int, h *Hand)) {
	var next atomic.Int64
	work := func(h *Hand) {
		for t := int(next.Add(1)) - 1; t < tasks; t = int(next.Add(1)) - 1 {
			h.memory.reset()
			do(t, h)
		}
	}
	var wait sync.WaitGroup
	var guard parallel.Guard
	for _, h := range c.hands[1:max(1, min(len(c.hands), tasks))] {
		wait.Go(func() { guard.Run(func() { work(h) }) })
	}
	guard.Run(func() { work(c.hands[0]) }) // the others write to memory of the caller until they end
	wait.Wait()
	guard.Raise()
}

// Floats returns memory for n numbers of any value, until the task ends.
func (h *Hand) Floats(n int) []float32 { return h.memory.floats(n) }

// floats returns memory for n numbers of any value, until the operation ends.
func (c *Crew) floats(n int) []float32 { return c.memory.floats(n) }

// done ends an operation.
func (c *Crew) done() { c.memory.reset() }

// split cuts n items into at most parts ranges whose lengths are multiples of grain,
// but the last, and returns the length.
func split(n, parts, grain int) int {
	return max(grain, Round((n+parts-1)/max(1, parts), grain))
}

// arena hands out memory from one block, which grows to what was needed last time.
type arena struct {
	block      []float32
	used, most int
}

func (a *arena) floats(n int) []float32 {
	size := Round(n, cacheLine/4) + Slack
	from := a.used
	a.used += size
	a.most = max(a.most, a.used)
	if a.used > len(a.block) {
		return Alloc(n)
	}
	return a.block[from : from+n : from+n+Slack]
}

// reset takes all memory back.
func (a *arena) reset() {
	if a.most > len(a.block) {
		a.block = Alloc(a.most)
	}
	a.used = 0
}
