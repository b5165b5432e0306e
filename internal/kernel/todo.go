package kernel

import "sync/atomic"

// todo is a range of tasks, of which its owner takes the first and others the last.
type todo struct {
	ends atomic.Uint64 // the first task, and in the high half the one past the last
}

const oneLess = 1 << 32 // of the high half

func (t *todo) set(from, end int) { t.ends.Store(uint64(end)*oneLess | uint64(from)) }

// first takes the first task, if one is left.
func (t *todo) first() (task int, ok bool) {
	for {
		e := t.ends.Load()
		if from, end := e%oneLess, e/oneLess; from >= end {
			return 0, false
		} else if t.ends.CompareAndSwap(e, e+1) {
			return int(from), true
		}
	}
}

// last takes the last task, if one is left.
func (t *todo) last() (task int, ok bool) {
	for {
		e := t.ends.Load()
		if from, end := e%oneLess, e/oneLess; from >= end {
			return 0, false
		} else if t.ends.CompareAndSwap(e, e-oneLess) {
			return int(end) - 1, true
		}
	}
}
