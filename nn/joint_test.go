package nn

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// TestCallsOfImagesLeaveNoGoroutines whether they end or are cancelled.
func TestCallsOfImagesLeaveNoGoroutines(t *testing.T) {
	n := smallUNet2D(t, 3, schedule.Epsilon)
	b, x := bound2D(t, n, 2), gaussians(2, 3, 8, 12)
	y := tensor.New(2, 3, 8, 12)
	for _, ctx := range []context.Context{t.Context(), &cancelledAfter{Context: t.Context(), asks: 20}} {
		err := b.VJP(ctx, y, x, x, 5)
		if want := ctx.Err(); !errors.Is(err, want) {
			t.Errorf("VJP = %v, want %v", err, want)
		}
		stacks := make([]byte, 1<<20)
		for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), ".(*Helpers).help(") { // hangs if they stay
			runtime.Gosched()
		}
	}
}

// cancelledAfter is a context that is cancelled when it has been asked some times.
type cancelledAfter struct {
	context.Context
	asks int
}

func (c *cancelledAfter) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}
