// Package parallel runs independent pieces of work on a fixed number of
// goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// mostWorkers bounds the goroutines, and the scratch memory that each of them owns,
// where there are fewer processors: more would only wait for each other.
const mostWorkers = 16

// Workers returns n, or the number of usable processors when n is not positive. It
// returns no more than 16 where there are no more processors.
func Workers(n int) int {
	processors := runtime.GOMAXPROCS(0)
	if n > 0 {
		return min(n, max(mostWorkers, processors))
	}
	return processors
}

// For calls f(worker, i) once for every i below n, on the given number of
// goroutines, and waits for them. Worker numbers are below workers and a worker
// handles one i at a time, so it can own scratch memory. After an error, or when
// the context is cancelled, no new i is started; the error of the lowest i that
// failed is returned, so that it does not depend on timing which of two errors
// of one call is seen first. When f panics, no new i is started and For panics with
// a [Panic] on the goroutine of its caller.
func For(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	if workers = min(Workers(workers), n); workers <= 1 {
		return serial(ctx, n, f)
	}
	l := &loop{f: f}
	l.failed.Store(int64(n))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			if !l.guard.Run(func() { l.work(ctx, w) }) {
				l.failed.Store(-1)
			}
		})
	}
	wg.Wait()
	l.guard.Raise()
	if l.first != nil {
		return l.first
	}
	return ctx.Err()
}

// loop is what the goroutines of one call share.
type loop struct {
	f            func(worker, i int) error
	next, failed atomic.Int64 // the next i, and the lowest that failed

	mu    sync.Mutex
	first error // of failed
	guard Guard
}

// work calls f for one i after the other, until there are no more or one failed.
func (l *loop) work(ctx context.Context, worker int) {
	for {
		i := l.next.Add(1) - 1
		if i >= l.failed.Load() || ctx.Err() != nil {
			return
		}
		if err := l.f(worker, int(i)); err != nil {
			l.fail(i, err)
			return
		}
	}
}

func (l *loop) fail(i int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i < l.failed.Load() {
		l.failed.Store(i)
		l.first = err
	}
}

func serial(ctx context.Context, n int, f func(worker, i int) error) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(0, i); err != nil {
			return err
		}
	}
	return ctx.Err()
}
