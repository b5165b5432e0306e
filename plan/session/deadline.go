package session

import (
	"context"
	"time"
)

// deadline is when a replan has to be over; without a time it has none.
type deadline struct {
	clock  clock
	began  time.Duration
	within time.Duration
}

// clock tells the time since some moment. Nil is the time on the wall; tests on busy machines count
// processor time.
type clock func() time.Duration

var epoch = time.Now()

func (c clock) now() time.Duration {
	if c == nil {
		return time.Since(epoch)
	}
	return c()
}

// ending returns a context that ends when so much time has passed.
func (c clock) ending(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	if c == nil {
		return context.WithTimeout(ctx, after)
	}
	end := c() + after
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil && c() < end {
			time.Sleep(time.Millisecond / 2)
		}
		cancel()
	}()
	return ctx, cancel
}

// Of the time of a replan samples leave a part to what follows them: to judge the last one,
// and, where nothing else is at hand, to repair and to compare stops.
const (
	judging   = 0.1
	emergency = 0.4
	mostLeft  = 50 * time.Millisecond // of the former at most
)

// leastStopping is how long a certified stop is looked for where nothing else is certified, though the context has ended: tens of
// milliseconds are enough for most teams, and a late stop is better than none. Among thousands of obstacles it would be minutes.
const leastStopping = time.Second

// sampling returns the time that samples may take from now on, 0 for any; safe says that there is
// a certified plan at hand.
func (d deadline) sampling(safe bool) time.Duration {
	if d.within == 0 {
		return 0
	}
	left := time.Duration(float64(d.within) * emergency)
	if safe {
		left = min(time.Duration(float64(d.within)*judging), mostLeft)
	}
	return max(d.within-left-d.passed(), time.Nanosecond)
}

// passed returns the time since it began.
func (d deadline) passed() time.Duration { return d.clock.now() - d.began }

// stopping returns a context that ends when little of the time is left. Without a time it goes on whatever the one before
// does; where that ends at some time, as long again, and for leastStopping at least.
func (d deadline) stopping(ctx context.Context) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); d.within == 0 && ok {
		left := time.Until(end)
		return d.clock.ending(context.WithoutCancel(ctx), max(left+max(d.passed()+left, leastStopping), 0))
	}
	if d.within == 0 {
		return context.WithCancel(context.WithoutCancel(ctx))
	}
	left := min(time.Duration(float64(d.within)*judging), mostLeft)
	return d.clock.ending(ctx, max(d.within-left-d.passed(), 0))
}
