package queue

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/go-pcd/pcd/internal/jobs"
)

// sizes remembers the size of a store for a while, because all files are looked at to find it out, and adds to it what
// is written in the meantime for jobs that are submitted.
type sizes struct {
	mu    sync.Mutex
	bytes int64
	at    time.Time
}

// take refuses what has no room in the store.
func (s *sizes) take(store *jobs.Store, needs, most int64) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.at) > 10*time.Second {
		if s.bytes, err = store.Size(); err != nil {
			return err
		}
		s.at = time.Now()
	}
	if have := s.bytes + needs; have > most {
		return &jobs.FullError{What: "bytes in the store", Have: have, Max: most}
	}
	s.bytes += needs
	return nil
}

func (s *sizes) add(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += bytes
}

// coming counts the jobs of owners that have been let in and are not in the database yet.
type coming struct {
	turn chan struct{} // to ask the database, which may be long in answering; who waits may leave
	mu   sync.Mutex
	all  map[string]int64
}

func newComing() *coming { return &coming{turn: make(chan struct{}, 1), all: map[string]int64{}} }

// take waits for the turn. The caller gives it back.
func (c *coming) take(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *coming) giveBack() { <-c.turn }

// add counts a number of jobs more, and returns how many there are.
func (c *coming) add(owner string, n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all[owner] += n
	if c.all[owner] == 0 {
		delete(c.all, owner)
	}
	return c.all[owner]
}

// room lets a job of an owner in, and refuses one of an owner who has many that have not ended. enter says that the job
// is in the database, or will not be.
func (q *Queue) room(ctx context.Context, owner string) (enter func(), err error) {
	c := q.coming
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	defer c.giveBack()
	between := c.add(owner, 0)
	most := int64(q.config.Waiting)
	n, err := q.db.open(ctx, owner)
	if err == nil && n+between >= most {
		n, err = q.unended(ctx, owner)
	}
	if err != nil {
		return nil, err
	}
	if n += between; n >= most {
		return nil, &jobs.FullError{What: "jobs that wait or run", Have: n, Max: most}
	}
	c.add(owner, 1)
	return sync.OnceFunc(func() { c.add(owner, -1) }), nil
}

// insert puts a job that was let in into the database. It has the turn, so that whoever counts meets the job there or among
// those that come, and not in both: the last one of as many as there is room for would be refused.
func (q *Queue) insert(ctx context.Context, a arguments, o *river.InsertOpts, enter func()) (*rivertype.JobInsertResult, error) {
	if err := q.coming.take(ctx); err != nil {
		return nil, err
	}
	defer q.coming.giveBack()
	defer enter()
	return q.river.Insert(ctx, a, o)
}

// unended counts the jobs of an owner without an outcome. The database learns of an outcome a moment later than who asks
// for the job.
func (q *Queue) unended(ctx context.Context, owner string) (n int64, err error) {
	folders, err := q.db.folders(ctx, isOpen, q.db.queue, owner)
	if err != nil {
		return 0, err
	}
	for _, name := range folders {
		o, err := q.config.Store.Folder(name).Outcome()
		if err != nil {
			return 0, err
		}
		if o == nil {
			n++
		}
	}
	return n, nil
}

// full returns a [jobs.DiskFullError] where an error is about a file system without room, and others as they are.
func full(err error) error {
	var db *driver.Error
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.As(err, &db) && db.Code() == sqlite3.SQLITE_FULL {
		return &jobs.DiskFullError{Err: err}
	}
	return err
}
