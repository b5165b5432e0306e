package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/go-pcd/pcd/plan/session"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// driving is a session of a client.
type driving struct {
	id, client string
	turn       chan struct{} // held by whoever updates
	session    *session.Session
	cores      int // that its searches can use
	scene      sceneKeys

	mu     sync.Mutex
	state  *pb.Session
	next   chan struct{} // closed when there is a newer state, or none any more
	ended  bool
	recent time.Time // of the last call
}

// sessions are those that are open.
type sessions struct {
	most int
	idle time.Duration // after which one ends that nobody asks about

	mu  sync.Mutex
	all map[string]*driving
}

// sessionError says that there is no session of an id, for whoever asks.
type sessionError struct{ ID string }

func (e *sessionError) Error() string {
	return fmt.Sprintf("serve: no session %q: it was closed, or nobody has asked about it for a while", e.ID)
}

// tooManySessionsError says that no more sessions can be opened.
type tooManySessionsError struct{ Most int }

func (e *tooManySessionsError) Error() string {
	return fmt.Sprintf("serve: %d sessions are open, and no more may: close one", e.Most)
}

// lateUpdateError says that nothing was computed for an update in its time: another update of the session had its turn, or no
// core was free.
type lateUpdateError struct{ Deadline time.Duration }

func (e *lateUpdateError) Error() string {
	return fmt.Sprintf("serve: nothing was computed within %.3g s, as others came first, and the plan in force goes on: ask again, with more time", e.Deadline.Seconds())
}

func newSessions(most int, idle time.Duration) *sessions {
	return &sessions{most: most, idle: idle, all: map[string]*driving{}}
}

// add opens a session for a client.
func (s *sessions) add(client string, made *session.Session, cores int, scene sceneKeys) (*driving, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	if len(s.all) >= s.most {
		return nil, &tooManySessionsError{s.most}
	}
	d := &driving{id: rand.Text(), client: client, turn: make(chan struct{}, 1), session: made, cores: cores, scene: scene, next: make(chan struct{}), recent: time.Now()}
	s.all[d.id] = d
	return d, nil
}

// room returns an error when no session can be opened.
func (s *sessions) room() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sweep(); len(s.all) >= s.most {
		return &tooManySessionsError{s.most}
	}
	return nil
}

// sweep ends sessions that nobody has asked about. The caller holds the lock.
func (s *sessions) sweep() {
	for id, d := range s.all {
		if d.since() > s.idle {
			d.end()
			delete(s.all, id)
		}
	}
}

// find returns a session of a client. Others do not learn that it is there.
func (s *sessions) find(client, id string) (*driving, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	d := s.all[id]
	if d == nil || d.client != client {
		return nil, &sessionError{id}
	}
	d.touch()
	return d, nil
}

// remove ends a session.
func (s *sessions) remove(d *driving) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.end()
	delete(s.all, d.id)
}

// count returns how many sessions are open.
func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return len(s.all)
}

// endAll ends all sessions, so that nobody watches any more.
func (s *sessions) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, d := range s.all {
		d.end()
		delete(s.all, id)
	}
}

// take waits for the turn to update a session, and has it at once where nobody else does, however short the time is. The
// caller gives it back.
func (d *driving) take(ctx context.Context) error {
	select {
	case d.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *driving) giveBack() { <-d.turn }

func (d *driving) touch() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recent = time.Now()
}

func (d *driving) since() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Since(d.recent)
}

// publish makes a state the newest one.
func (d *driving) publish(state *pb.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state, d.recent = state, time.Now()
	if !d.ended {
		close(d.next)
		d.next = make(chan struct{})
	}
}

// newest returns the newest state, and a channel that is closed when there is another.
func (d *driving) newest() (state *pb.Session, next <-chan struct{}, ended bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state, d.next, d.ended
}

// end tells whoever watches that there is no more.
func (d *driving) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.ended = true
		close(d.next)
	}
}
