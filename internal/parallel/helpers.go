package parallel

import (
	"runtime"
	"sync/atomic"
)

// Helpers are goroutines that stay for a while, to do one job after the other with the
// goroutine that they help. To wake a goroutine takes longer than many a job, so between
// two jobs a helper watches for the next one, for a moment, before it sleeps; and nobody
// waits for a helper that has not begun.
type Helpers struct {
	job     func(member int)
	guard   Guard
	gate    atomic.Uint64
	leader  sleeper  // who they help
	helpers []helper // member i+1 is the helper i
	members int64
	spare   atomic.Int64 // processors; one who was dismissed may still look
}

// The gate holds the number of the job, whether it may be joined, and how many helpers
// are inside. A helper that leaves last wakes the leader.
const (
	inside  = 1<<32 - 1
	open    = 1 << 32
	over    = 1 << 33 // there are no more jobs
	oneMore = 1 << 34
)

// helper is a goroutine that stays, or will once it is started.
type helper struct {
	sleeper
	stays atomic.Bool
	start func() // made once, so that gathering again allocates nothing
}

// engaged counts the members that all helpers of the program have together. Where there are
// more than processors, watching would keep others from their work.
var engaged atomic.Int64

// NewHelpers starts n helpers.
func NewHelpers(n int) *Helpers {
	h := &Helpers{helpers: make([]helper, n), leader: newSleeper(), members: int64(n + 1)}
	h.gate.Store(over)
	for i := range h.helpers {
		h.helpers[i].sleeper, h.helpers[i].start = newSleeper(), func() { h.help(i) }
	}
	h.Gather()
	return h
}

// Gather lets helpers that were dismissed stay once more.
func (h *Helpers) Gather() {
	h.spare.Store(int64(runtime.GOMAXPROCS(0)))
	engaged.Add(h.members)
	h.gate.And(^uint64(over))
	for i := range h.helpers {
		if h.helpers[i].stays.CompareAndSwap(false, true) {
			go h.helpers[i].start()
		}
	}
}

// Do calls job once with member 0, on the goroutine of the caller, and with up to most-1 of
// the other members beside it. A member that is not there in time is left out, so jobs
// share their work as they find it. Do returns when all that began have returned, and
// panics with a [Panic] when one of them did. It is called by one goroutine at a time.
func (h *Helpers) Do(most int, job func(member int)) {
	h.job, h.guard = job, Guard{}
	h.gate.Store((h.gate.Load()/oneMore+1)*oneMore | open)
	for i := range min(most-1, len(h.helpers)) {
		h.helpers[i].wake()
	}
	h.guard.Run(func() { job(0) })
	h.gate.And(^uint64(open))
	h.leader.until(h.watches, func() bool { return h.gate.Load()&inside == 0 })
	h.job = nil
	h.guard.Raise()
}

// Dismiss ends the helpers. It does not wait for them.
func (h *Helpers) Dismiss() {
	h.gate.Or(over)
	for i := range h.helpers {
		h.helpers[i].wake()
	}
	engaged.Add(-h.members)
}

// help is the life of helper i.
func (h *Helpers) help(i int) {
	var last uint64 // the job that it did last
	for {
		var g uint64
		h.helpers[i].until(h.watches, func() bool {
			g = h.gate.Load()
			return g&over != 0 || g&open != 0 && g/oneMore != last
		})
		if g&over != 0 {
			h.helpers[i].stays.Store(false)
			if h.gate.Load()&over != 0 || !h.helpers[i].stays.CompareAndSwap(false, true) { // else gathered again
				return
			}
			continue
		}
		if !h.gate.CompareAndSwap(g, g+1) {
			continue
		}
		last = g / oneMore
		h.guard.Run(func() { h.job(i + 1) })
		if h.gate.Add(^uint64(0))&(inside|open) == 0 && h.leader.wake() {
			runtime.Gosched() // the leader goes on here, sooner than elsewhere
		}
	}
}

// watches reports whether there are processors to watch with.
func (h *Helpers) watches() bool { return engaged.Load() <= h.spare.Load() }
