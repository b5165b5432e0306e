package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Behind the end of its context a certified stop is looked for as long again, for a second at least, and no longer.
func TestTimeForAStop(t *testing.T) {
	for _, c := range []struct{ given, spent, want time.Duration }{
		{10 * time.Second, 10 * time.Second, 20 * time.Second}, // all of the time went into the search
		{10 * time.Second, 2 * time.Second, 20 * time.Second},
		{200 * time.Millisecond, 200 * time.Millisecond, 1200 * time.Millisecond},
		{time.Nanosecond, time.Millisecond, time.Second + time.Nanosecond},
		{10 * time.Second, 15 * time.Second, 20 * time.Second}, // something has taken longer than it should
		{0, time.Hour, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			if c.given > 0 {
				ctx, cancel = context.WithTimeout(ctx, c.given)
			}
			defer cancel()
			until := deadline{nil, clock(nil).now(), 0}
			time.Sleep(c.spent)
			stopping, stop := until.stopping(ctx)
			defer stop()
			end, limited := stopping.Deadline()
			if stopping.Err() != nil || limited != (c.want > 0) || limited && end.Sub(began) != c.want {
				t.Errorf("of %v %v spent: until %v, want %v, %v", c.given, c.spent, end.Sub(began), c.want, stopping.Err())
			}
		})
	}
}
