// Package parallel runs independent pieces of work on a fixed number of
// goroutines.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns n, or the number of usable processors when n is not positive.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// For calls f(worker, i) once for every i below n, on the given number of
// goroutines, and waits for them. Worker numbers are below workers and a worker
// handles one i at a time, so it can own scratch memory. After an error, or when
// the context is cancelled, no new i is started; the error of the lowest i that
// failed is returned, so that it does not depend on timing which of two errors
// of one call is seen first.
func For(ctx context.Context, workers, n int, f func(worker, i int) error) error {
	if workers = min(Workers(workers), n); workers <= 1 {
		return serial(ctx, n, f)
	}
	var next, failed atomic.Int64
	failed.Store(int64(n))
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() || ctx.Err() != nil {
					return
				}
				if err := f(w, int(i)); err != nil {
					mu.Lock()
					if i < failed.Load() {
						failed.Store(i)
						first = err
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
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
