package gate

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Limits bound a [Gate]. All are positive.
type Limits struct {
	Cores     int           // that requests share
	Waiting   int           // requests that may wait
	PerClient int           // of one client
	Longest   time.Duration // that a request may have to wait, as predicted
}

// BusyError says that a request was not let in.
type BusyError struct {
	Reason string
	After  time.Duration // when to ask again, at least a second
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("serve: %s; ask again in %.0f s", e.Reason, e.After.Seconds())
}

// Gate is a semaphore of cores with a queue that is fair between clients. It is safe for
// concurrent use.
type Gate struct {
	limits Limits

	mu      sync.Mutex
	free    int
	queues  map[string][]*waiter // of clients with somebody in them
	turns   []string             // those clients, the next one first
	waiting int
	ahead   float64 // predicted processor seconds of all who run or wait
}

// waiter is a request in the queue.
type waiter struct {
	seconds float64
	most    int // cores that it can use
	cores   int // granted
	ready   chan struct{}
}

// New returns a gate without anybody.
func New(l Limits) *Gate { return &Gate{limits: l, free: l.Cores, queues: map[string][]*waiter{}} }

// Pass lets a request compute until it is given back.
type Pass struct {
	Cores  int           // that it has
	Waited time.Duration // for them

	gate    *Gate
	seconds float64
	once    sync.Once
}

// Waiting returns how many requests wait.
func (g *Gate) Waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting
}

// Enter waits for a core, or for all that are free when nobody else waits, but no more than the
// request can use. It is predicted to take so many processor seconds. A [BusyError] says that it was not let in,
// an error of the context that this ended while it waited.
func (g *Gate) Enter(ctx context.Context, client string, seconds float64, most int) (*Pass, error) {
	began := time.Now()
	w, err := g.join(ctx, client, seconds, most)
	if err != nil {
		return nil, err
	}
	select {
	case <-w.ready:
	case <-ctx.Done():
		if g.leave(client, w) {
			return nil, ctx.Err()
		}
		// It was let in at the same moment.
	}
	return &Pass{Cores: w.cores, Waited: time.Since(began), gate: g, seconds: seconds}, nil
}

// join puts a request into the queue, and lets it in when there is room.
func (g *Gate) join(ctx context.Context, client string, seconds float64, most int) (*waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.refusal(ctx, client); err != nil {
		return nil, err
	}
	w := &waiter{seconds: seconds, most: most, ready: make(chan struct{})}
	if len(g.queues[client]) == 0 {
		g.turns = append(g.turns, client)
	}
	g.queues[client] = append(g.queues[client], w)
	g.waiting++
	g.ahead += seconds
	g.admit()
	return w, nil
}

// refusal returns why a request is not let into the queue, nil if it is.
func (g *Gate) refusal(ctx context.Context, client string) error {
	if g.free > 0 && g.waiting == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err // it has no time to wait, however short that would be
	}
	wait := time.Duration(g.ahead / float64(g.limits.Cores) * float64(time.Second))
	busy := func(reason string) error { return &BusyError{reason, max(wait, time.Second)} }
	end, limited := ctx.Deadline()
	switch {
	case g.waiting >= g.limits.Waiting:
		return busy(fmt.Sprintf("%d requests wait, and no more may", g.waiting))
	case len(g.queues[client]) >= g.limits.PerClient:
		return busy(fmt.Sprintf("%d requests of this client wait, and no more may", len(g.queues[client])))
	case wait > g.limits.Longest:
		return busy(fmt.Sprintf("the wait would be about %.0f s, and may be %.0f", wait.Seconds(), g.limits.Longest.Seconds()))
	case limited && wait > time.Until(end):
		return busy(fmt.Sprintf("the wait would be about %.1f s, longer than there is time", wait.Seconds()))
	}
	return nil
}

// admit lets requests in, one of every client in turn, while there are cores. They share
// the free ones.
func (g *Gate) admit() {
	for g.free > 0 && g.waiting > 0 {
		client := g.turns[0]
		queue := g.queues[client]
		w := queue[0]
		g.turns = g.turns[1:]
		if len(queue) == 1 {
			delete(g.queues, client)
		} else {
			g.queues[client] = queue[1:]
			g.turns = append(g.turns, client)
		}
		w.cores = min(max(g.free/g.waiting, 1), w.most)
		g.waiting--
		g.free -= w.cores
		close(w.ready)
	}
}

// leave takes a request out of the queue. It returns false for one that was let in.
func (g *Gate) leave(client string, w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := g.queues[client]
	for i, other := range queue {
		if other != w {
			continue
		}
		rest := append(append([]*waiter{}, queue[:i]...), queue[i+1:]...)
		if g.queues[client] = rest; len(rest) == 0 {
			delete(g.queues, client)
			g.forget(client)
		}
		g.waiting--
		g.ahead -= w.seconds
		return true
	}
	return false
}

// forget takes a client without requests out of the turns.
func (g *Gate) forget(client string) {
	for i, c := range g.turns {
		if c == client {
			g.turns = append(append([]string{}, g.turns[:i]...), g.turns[i+1:]...)
			return
		}
	}
}

// Leave gives the cores back. More calls do nothing.
func (p *Pass) Leave() {
	p.once.Do(func() {
		g := p.gate
		g.mu.Lock()
		defer g.mu.Unlock()
		g.free += p.Cores
		g.ahead = max(g.ahead-p.seconds, 0)
		g.admit()
	})
}
