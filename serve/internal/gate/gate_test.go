package gate

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func limits() Limits {
	return Limits{Cores: 2, Waiting: 4, PerClient: 3, Longest: time.Minute}
}

// enter takes a pass that has to be there.
func enter(t *testing.T, g *Gate, client string) *Pass {
	t.Helper()
	p, err := g.Enter(t.Context(), client, 1, 8)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Somebody alone has all cores; requests that wait share them.
func TestCoresAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(limits())
		first := enter(t, g, "a")
		if first.Cores != 2 {
			t.Errorf("alone with %d cores, want 2", first.Cores)
		}
		var cores atomic.Int32
		for range 2 {
			go func() {
				p := enter(t, g, "a")
				cores.Add(int32(p.Cores))
			}()
		}
		synctest.Wait()
		if g.Waiting() != 2 || cores.Load() != 0 {
			t.Fatalf("%d wait with %d cores given, want 2 and 0", g.Waiting(), cores.Load())
		}
		first.Leave()
		first.Leave() // does nothing
		synctest.Wait()
		if g.Waiting() != 0 || cores.Load() != 2 {
			t.Errorf("%d wait with %d cores given, want 0 and 2", g.Waiting(), cores.Load())
		}
	})
}

// A request has no more cores than it can use, alone and among others; the rest is there for those who come.
func TestCoresThatAreOfNoUseStayFree(t *testing.T) {
	l := limits()
	l.Cores = 4
	g := New(l)
	cores := func(most int) int {
		t.Helper()
		p, err := g.Enter(t.Context(), "a", 1, most)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Leave)
		return p.Cores
	}
	for _, c := range []struct{ most, want int }{{1, 1}, {2, 2}, {8, 1}} { // of 4, of 3, of 1
		if got := cores(c.most); got != c.want {
			t.Errorf("%d cores for a request that can use %d, want %d", got, c.most, c.want)
		}
	}
}

// A client with many requests does not keep others waiting for all of them.
func TestClientsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits()
		l.Cores = 1
		g := New(l)
		running := enter(t, g, "x")
		var mu sync.Mutex
		order := ""
		for _, client := range []string{"a", "a", "a", "b"} {
			go func() {
				p := enter(t, g, client)
				mu.Lock()
				order += client
				mu.Unlock()
				p.Leave()
			}()
			synctest.Wait()
		}
		running.Leave()
		synctest.Wait()
		if order != "abaa" {
			t.Errorf("let in as %q, want abaa", order)
		}
	})
}

// What would wait too long is refused at once, with a time to come back.
func TestTheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(limits())
		held := enter(t, g, "x")
		wait := func(client string) {
			go func() {
				if p, err := g.Enter(t.Context(), client, 10, 8); err == nil {
					p.Leave()
				}
			}()
			synctest.Wait()
		}
		refused := func(ctx context.Context, client, why string) {
			t.Helper()
			_, err := g.Enter(ctx, client, 1, 8)
			var busy *BusyError
			if !errors.As(err, &busy) || !strings.Contains(busy.Reason, why) || busy.After < time.Second {
				t.Errorf("%s: %v, want it refused: %s", client, err, why)
			}
		}
		for range 3 {
			wait("a")
		}
		refused(t.Context(), "a", "of this client")
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		refused(short, "b", "longer than there is time")
		wait("b")
		refused(t.Context(), "c", "no more may")
		held.Leave()
		synctest.Wait()
		if g.Waiting() != 0 || g.free != 2 || g.ahead != 0 || len(g.turns) != 0 || len(g.queues) != 0 {
			t.Errorf("afterwards %+v, want nobody", g)
		}
		l := limits()
		l.Longest = time.Second
		g = New(l)
		if _, err := g.Enter(t.Context(), "x", 10, 8); err != nil {
			t.Fatal(err)
		}
		refused(t.Context(), "y", "may be 1")
	})
}

// A request whose context ends leaves the queue.
func TestWaitingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(limits())
		held := enter(t, g, "x")
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := g.Enter(ctx, "y", 1, 8); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Enter = %v, want the end of the context", err)
		}
		if g.Waiting() != 0 || len(g.turns) != 0 {
			t.Errorf("%d wait, turns of %v, want nobody", g.Waiting(), g.turns)
		}
		held.Leave()
		enter(t, g, "z").Leave()
	})
}

func TestCosts(t *testing.T) {
	var c Costs
	if s := c.Predict("plan", 10, 7); s != 7 {
		t.Errorf("before any request: %v, want 7", s)
	}
	c.Observe("plan", 10, 2)
	c.Observe("plan", 12, 3)
	if s := c.Predict("plan", 16, 7); s != 2.1 {
		t.Errorf("after 2 and 3: %v, want 2.1", s)
	}
	if s := c.Predict("plan", 17, 7) + c.Predict("search", 10, 1); s != 8 {
		t.Errorf("others: %v, want what is assumed", s)
	}
}
