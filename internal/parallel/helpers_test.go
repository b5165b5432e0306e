package parallel_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/parallel"
)

// share lets helpers take n pieces of work as they find them, and counts each.
func share(h *parallel.Helpers, n int, work func(member, i int)) {
	var next atomic.Int64
	h.Do(n, func(member int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			work(member, i)
		}
	})
}

func TestHelpersDoEveryJobOnce(t *testing.T) {
	for _, n := range []int{0, 1, 3, 20} {
		h := parallel.NewHelpers(n)
		for job := range 2000 {
			counts, within := make([]int, job%7), make([]int, n+1)
			share(h, len(counts), func(member, i int) {
				within[member]++ // nobody else has the number of a member
				counts[i]++
			})
			for i, c := range counts {
				if c != 1 {
					t.Fatalf("%d helpers, job %d: piece %d was done %d times", n, job, i, c)
				}
			}
		}
		h.Dismiss()
	}
}

// TestHelpersWake gives them a job that needs all of them, after they went to sleep.
func TestHelpersWake(t *testing.T) {
	h := parallel.NewHelpers(3)
	defer h.Dismiss()
	for range 5 {
		time.Sleep(5 * time.Millisecond)
		var all sync.WaitGroup
		all.Add(4)
		h.Do(4, func(int) {
			all.Done()
			all.Wait()
		})
	}
}

// TestLeaderSleeps lets it wait for a helper that takes long.
func TestLeaderSleeps(t *testing.T) {
	h := parallel.NewHelpers(1)
	defer h.Dismiss()
	for range 5 {
		begun, done := make(chan bool), false
		h.Do(2, func(member int) {
			if member == 0 {
				<-begun
				return
			}
			close(begun)
			time.Sleep(5 * time.Millisecond)
			done = true
		})
		if !done {
			t.Fatal("Do returned before a helper that had begun")
		}
	}
}

// TestNobodyWaitsForAHelperThatHasNotBegun has one processor, on which no helper begins
// while the leader does a short job.
func TestNobodyWaitsForAHelperThatHasNotBegun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	h := parallel.NewHelpers(4)
	defer h.Dismiss()
	const jobs = 1000
	var joined atomic.Int64
	for range jobs {
		h.Do(5, func(member int) { joined.Add(int64(min(member, 1))) })
	}
	if joined.Load() == 4*jobs {
		t.Error("every helper took part in every job")
	}
}

func TestPanicsOfHelpers(t *testing.T) {
	h := parallel.NewHelpers(2)
	defer h.Dismiss()
	for who := range 3 {
		for range 100 {
			err := func() (v any) {
				defer func() { v = recover() }()
				var all sync.WaitGroup
				all.Add(3)
				h.Do(3, func(member int) {
					all.Done()
					all.Wait()
					if member == who {
						panic(fmt.Sprintf("member %d", who))
					}
				})
				return nil
			}()
			p, ok := err.(*parallel.Panic)
			if !ok || p.Value != fmt.Sprintf("member %d", who) {
				t.Fatalf("Do panics with %v, want that of member %d", err, who)
			}
		}
	}
	share(h, 10, func(int, int) {}) // the panic is forgotten
}

// TestHelpersWithinHelpers and beside each other: more of them than processors.
func TestHelpersWithinHelpers(t *testing.T) {
	var done atomic.Int64
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			outer := parallel.NewHelpers(2)
			defer outer.Dismiss()
			for range 50 {
				share(outer, 4, func(int, int) {
					inner := parallel.NewHelpers(2)
					defer inner.Dismiss()
					share(inner, 8, func(int, int) { done.Add(1) })
				})
			}
		})
	}
	wait.Wait()
	if want := int64(4 * 50 * 4 * 8); done.Load() != want {
		t.Errorf("%d pieces were done, want %d", done.Load(), want)
	}
}

// helping counts the goroutines of helpers.
func helping() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ".(*Helpers).help(")
}

func TestDismissedHelpersEnd(t *testing.T) {
	for _, rest := range []time.Duration{0, 5 * time.Millisecond} { // while they watch, and asleep
		h := parallel.NewHelpers(5)
		share(h, 100, func(int, int) {})
		time.Sleep(rest)
		h.Dismiss()
	}
	for helping() > 0 { // hangs if they stay
		time.Sleep(time.Millisecond)
	}
}

// Helpers that are gathered again while those dismissed are still on their way out do every job,
// as they do for networks that are asked again and again.
func TestGatheredAgain(t *testing.T) {
	h := parallel.NewHelpers(3)
	var done atomic.Int64
	for range 300 {
		h.Do(4, func(int) { done.Add(1) })
		h.Dismiss()
		h.Gather()
	}
	var all sync.WaitGroup
	all.Add(4)
	h.Do(4, func(int) { // needs all of them
		all.Done()
		all.Wait()
	})
	h.Dismiss()
	if n := done.Load(); n < 300 || n > 1200 {
		t.Errorf("%d members did 300 jobs", n)
	}
}
