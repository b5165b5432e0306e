package queue

import (
	"errors"
	"sync"
	"syscall"
	"time"

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

// full returns a [jobs.DiskFullError] where an error is about a file system without room, and others as they are.
func full(err error) error {
	var db *driver.Error
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.As(err, &db) && db.Code() == sqlite3.SQLITE_FULL {
		return &jobs.DiskFullError{Err: err}
	}
	return err
}
