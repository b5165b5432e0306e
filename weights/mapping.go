package weights

import (
	"sync"
)

// mapping is the content of an open file. A nil mapping belongs to bytes in
// memory and is never closed.
type mapping struct {
	mu      sync.RWMutex
	data    []byte
	closed  bool
	release func([]byte) error
}

// use calls f while the content cannot be released.
func (m *mapping) use(f func() error) error {
	if m == nil {
		return f()
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return ErrClosed
	}
	return f()
}

func (m *mapping) close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	data := m.data
	m.data = nil
	return m.release(data)
}

// size returns the length of the content.
func (m *mapping) size() int64 {
	if m == nil {
		return 0
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return int64(len(m.data))
}
