package kernel

import (
	"github.com/go-pcd/pcd/internal/parallel"
)

// Crew is a number of goroutines that share the tasks of an operation on a few large
// arrays, and the memory that they work in. Its operations follow one another: a
// crew is used by one goroutine at a time.
//
// Tasks write to places of their own and no sum is split by the number of
// goroutines, so that a crew of any size gives the same bits.
type Crew struct {
	hands    []*Hand
	helpers  *parallel.Helpers
	gathered bool                 // they stay
	memory   arena                // of the operation under way
	doubles  listArena[float64]   // likewise
	taps     listArena[tap]       // likewise
	chunks   listArena[chunk]     // likewise
	lines    listArena[meeting]   // likewise
	meetings listArena[[]meeting] // likewise
	owned    map[any]any          // memory of one value of a type, by the type

	do    func(task int, h *Hand) // of the operation under way
	job   job                     // of the operation under way
	doJob func(task int, h *Hand) // made once, so that an operation allocates nothing for it
	work  func(hand int)          // likewise
}

// Hand is the memory of one goroutine of a crew.
type Hand struct {
	memory              arena
	whole               listArena[int]
	sums                listArena[float64]
	pieces              listArena[piece]
	pairs               listArena[pairs]
	split               splitRows       // left rows of a task on matrix tiles
	queries, cotangents splitRows       // likewise, of a task of attention
	scores              scores          // of a task of attention
	grad                gradBlock       // of one of its gradient
	planar              planarRun       // of a task of minimal filtering
	_                   [cacheLine]byte // others change what follows
	todo                todo            // of the operation under way
	_                   [cacheLine]byte
}

// NewCrew returns a crew of the given number of goroutines, at least one.
func NewCrew(size int) *Crew {
	c := &Crew{hands: make([]*Hand, max(1, size)), owned: map[any]any{}}
	for i := range c.hands {
		c.hands[i] = new(Hand)
	}
	c.work = c.takeTasks
	c.doJob = func(task int, h *Hand) { c.job.task(task, h) }
	return c
}

// Size returns the number of goroutines.
func (c *Crew) Size() int { return len(c.hands) }

// Gather makes the goroutines stay from one operation to the next, which is faster when
// there are many. They stay until the crew is dismissed.
func (c *Crew) Gather() {
	switch {
	case c.gathered:
		return
	case c.helpers == nil:
		c.helpers = parallel.NewHelpers(len(c.hands) - 1)
	default:
		c.helpers.Gather()
	}
	c.gathered = true
}

// Dismiss ends the goroutines.
func (c *Crew) Dismiss() {
	if c.gathered {
		c.helpers.Dismiss()
		c.gathered = false
	}
}

// Do calls do for the tasks 0 ... tasks-1, several at a time, and returns when all
// are done. The memory of the hand is the task's until it returns.
func (c *Crew) Do(tasks int, do func(task int, h *Hand)) {
	if !c.gathered {
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
		own.sums.reset()
		own.pieces.reset()
		own.pairs.reset()
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
func (h *Hand) ints(n int) []int { return h.whole.list(n) }

// Doubles returns memory for n sums of any value, until the task ends.
func (h *Hand) Doubles(n int) []float64 { return h.sums.list(n) }

// floats returns memory for n numbers of any value, until the operation ends.
func (c *Crew) floats(n int) []float32 { return c.memory.floats(n) }

// done ends an operation.
func (c *Crew) done() {
	c.memory.reset()
	c.doubles.reset()
	c.taps.reset()
	c.lines.reset()
	c.chunks.reset()
	c.meetings.reset()
}

// job is an operation under way that shares what its tasks have in common.
type job interface{ task(task int, h *Hand) }

type jobOf[T any] struct {
	common T
	do     func(common *T, task int, h *Hand)
}

func (j *jobOf[T]) task(task int, h *Hand) { j.do(&j.common, task, h) }

// share is [Crew.Do] for tasks that have something in common. It lies in memory of the crew,
// where a function with variables of its own would be allocated anew for every operation:
// do has none.
func share[T any](c *Crew, tasks int, common T, do func(common *T, task int, h *Hand)) {
	j := own(c, jobOf[T]{common, do})
	c.job = j
	c.Do(tasks, c.doJob)
	c.job = nil
	*j = jobOf[T]{}
}

// own returns a value in memory of the crew, which has one of each type.
func own[T any](c *Crew, v T) *T {
	p, _ := c.owned[(*T)(nil)].(*T)
	if p == nil {
		p = new(T)
		c.owned[(*T)(nil)] = p
	}
	*p = v
	return p
}

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

// listArena is an arena of other things.
type listArena[T any] struct {
	block      []T
	used, most int
}

func (a *listArena[T]) list(n int) []T {
	from := a.used
	a.used += n
	a.most = max(a.most, a.used)
	if a.used > len(a.block) {
		return make([]T, n)
	}
	return a.block[from : from+n : from+n]
}

// reset takes all memory back.
func (a *listArena[T]) reset() {
	if a.most > len(a.block) {
		a.block = make([]T, a.most)
	}
	a.used = 0
}
