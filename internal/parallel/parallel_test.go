package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-pcd/pcd/internal/parallel"
)

func TestForVisitsEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8, 100} {
		counts := make([]atomic.Int32, 57)
		err := parallel.For(context.Background(), workers, len(counts), func(w, i int) error {
			if w < 0 || w >= workers {
				t.Errorf("worker %d of %d", w, workers)
			}
			counts[i].Add(1)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range counts {
			if c := counts[i].Load(); c != 1 {
				t.Errorf("%d workers: index %d visited %d times", workers, i, c)
			}
		}
	}
}

func TestForReturnsTheLowestError(t *testing.T) {
	for range 50 {
		err := parallel.For(context.Background(), 4, 40, func(_, i int) error {
			if i >= 7 {
				return fmt.Errorf("index %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "index 7" {
			t.Fatalf("error = %v, want that of index 7", err)
		}
	}
}

// However long one goroutine is left without a processor, no other starts an index
// after the cancellation: each may only end the one that it has.
func TestForStopsWhenCancelled(t *testing.T) {
	const workers = 2
	ctx, cancel := context.WithCancel(t.Context())
	var late atomic.Int32
	err := parallel.For(ctx, workers, 1_000_000, func(_, i int) error {
		if ctx.Err() != nil {
			late.Add(1)
		}
		if i == 5 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || late.Load() > workers {
		t.Errorf("error %v, %d indices begun after the cancellation, want at most one for each of %d goroutines", err, late.Load(), workers)
	}
}

// A panic on a goroutine of the loop reaches the caller, with the stack of the place
// where it happened, also through a loop within a loop.
func TestForPanicsOnItsCaller(t *testing.T) {
	for name, run := range map[string]func() error{
		"parallel": func() error { return parallel.For(t.Context(), 3, 100, explode) },
		"nested": func() error {
			return parallel.For(t.Context(), 2, 4, func(int, int) error { return parallel.For(t.Context(), 2, 50, explode) })
		},
	} {
		var caught any
		func() {
			defer func() { caught = recover() }()
			_ = run()
		}()
		p, ok := caught.(*parallel.Panic)
		if !ok || p.String() != "boom" || !strings.Contains(string(p.Stack), "explode") {
			t.Errorf("%s: recovered %v, want the panic of explode", name, caught)
		}
	}
}

func explode(_, i int) error {
	if i == 30 {
		panic("boom")
	}
	return nil
}

func TestWorkersAreBounded(t *testing.T) {
	for ask, want := range map[int]int{1: 1, 3: 3, 16: 16, 1_000_000: max(16, runtime.GOMAXPROCS(0)), 0: runtime.GOMAXPROCS(0), -5: runtime.GOMAXPROCS(0)} {
		if got := parallel.Workers(ask); got != want {
			t.Errorf("Workers(%d) = %d, want %d", ask, got, want)
		}
	}
}
