package kernel

import "github.com/go-pcd/pcd/internal/parallel"

// Crew is a number of goroutines that share the tasks of an operation on a few large
// arrays, and the memory that they work in. Its operations follow one another: a
// crew is used by one goroutine at a time.
//
// Tasks write to places of their own and no sum is split by the number of
// goroutines, so that a crew of any size gives the same bits.
type Crew struct {
	hands   []*Hand
	helpers *parallel.Helpers // while they stay
	memory  arena             // of the operation under way

	do   func(task int, h *Hand) // of the operation under way
	work func(hand int)          // made once, so that an operation allocates nothing for it
}

// Hand is the memory of one goroutine of a crew.
type Hand struct {
	memory arena
	whole  wholeArena
	scores scores          // of a task of attention
	grad   gradBlock       // of one of its gradient
	_      [cacheLine]byte // others change what follows
	todo   todo            // of the operation under way
	_      [cacheLine]byte
}

// NewCrew returns a crew of the given number of goroutines, at least one.
func NewCrew(size int) *Crew {
	c := &Crew{hands: make([]*Hand, max(1, size))}
	for i := range c.hands {
		c.hands[i] = new(Hand)
	}
	c.work = c.takeTasks
	return c
}

// Size returns the number of goroutines.
func (c *Crew) Size() int { return len(c.hands) }

// Gather makes the goroutines stay from one operation to the next, which is faster when
// there are many. They stay until the crew is dismissed.
func (c *Crew) Gather() {
	if c.helpers == nil {
		c.helpers = parallel.NewHelpers(len(c.hands) - 1)
	}
}

// Dismiss ends the goroutines.
func (c *Crew) Dismiss() {
	if c.helpers != nil {
		c.helpers.Dismiss()
		c.helpers = nil
	}
}

// Do calls do for the tasks 0 ... tasks-1, several at a time, and returns when all
// are done. The memory of the hand is the task's until it returns.
func (c *Crew) Do(tasks int, do func(task int, h *Hand)) {
	if c.helpers == nil {
		c.Gather()
		defer c.Dismiss()
	}
	for i, h := range c.hands {
		h.todo.set(i*tasks/len(c.hands), (i+1)*tasks/len(c.hands))
	}
	c.do = do
	defer func() { c.do = nil }()
	c.helpers.Do(tasks, c.work)
}

// takeTasks does a hand's own tasks, the first ones first, and then those that others have
// left, the last ones first. Neighbouring tasks work on neighbouring rows, so that what a
// goroutine has written in one operation is what it reads in the next.
func (c *Crew) takeTasks(hand int) {
	own, do := c.hands[hand], c.do
	run := func(task int) {
		own.memory.reset()
		own.whole.reset()
		do(task, own)
	}
	for task, ok := own.todo.first(); ok; task, ok = own.todo.first() {
		run(task)
	}
	for i := 1; i < len(c.hands); i++ {
		other := c.hands[(hand+i)%len(c.hands)]
		for task, ok := other.todo.last(); ok; task, ok = other.todo.last() {
			run(task)
		}
	}
}

// Floats returns memory for n numbers of any value, until the task ends.
func (h *Hand) Floats(n int) []float32 { return h.memory.floats(n) }

// ints returns memory for n whole numbers of any value, until the task ends.
func (h *Hand) ints(n int) []int { return h.whole.ints(n) }

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

// wholeArena is an arena of whole numbers.
type wholeArena struct {
	block      []int
	used, most int
}

func (a *wholeArena) ints(n int) []int {
	from := a.used
	a.used += n
	a.most = max(a.most, a.used)
	if a.used > len(a.block) {
		return make([]int, n)
	}
	return a.block[from : from+n : from+n]
}

// reset takes all memory back.
func (a *wholeArena) reset() {
	if a.most > len(a.block) {
		a.block = make([]int, a.most)
	}
	a.used = 0
}
