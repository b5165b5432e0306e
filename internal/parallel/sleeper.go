package parallel

import (
	"sync/atomic"
	"time"
)

// sleeper waits for what others change and tell it.
type sleeper struct {
	asleep *atomic.Bool
	call   chan struct{}
}

func newSleeper() sleeper { return sleeper{new(atomic.Bool), make(chan struct{}, 1)} }

// patience is how long a sleeper watches before it sleeps: what it takes to wake it, about.
const patience = 200 * time.Microsecond

// until waits until it is so. While it may, it watches first.
func (s sleeper) until(watches, so func() bool) {
	for !watch(watches, so) {
		s.asleep.Store(true)
		if !so() || !s.asleep.CompareAndSwap(true, false) { // else somebody calls
			<-s.call
		}
	}
}

// wake calls a sleeper after a change. It reports whether it slept.
func (s sleeper) wake() bool {
	if !s.asleep.Load() || !s.asleep.CompareAndSwap(true, false) {
		return false
	}
	s.call <- struct{}{}
	return true
}

// watch looks again and again whether it is so, until its patience ends.
func watch(watches, so func() bool) bool {
	if so() {
		return true
	}
	if !watches() {
		return false
	}
	const looks = 16 // from one look at the clock to the next
	for start := time.Now(); time.Since(start) < patience && watches(); {
		for range looks {
			if so() {
				return true
			}
			pause()
		}
	}
	return so()
}
