package weights

import (
	"path/filepath"
	"runtime/debug"
	"sync"
	"unsafe"
)

// mapping is the content of an open file. A nil mapping belongs to bytes in
// memory and is never closed.
type mapping struct {
	mu      sync.RWMutex
	path    string
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
		return errClosed
	}
	return m.guard(f)
}

// guard calls f, which reads the content. The pages of a file that another program
// shortens meanwhile, or whose disk fails, cannot be read any more: the operating system
// ends programs that do, and so it is made a panic here, and the panic an error.
func (m *mapping) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			fault, ok := v.(interface{ Addr() uintptr })
			if !ok || !m.contains(fault.Addr()) {
				panic(v)
			}
			err = &FormatError{Path: filepath.Clean(m.path), Err: errLost}
		}
	}()
	return f()
}

// contains reports whether an address lies in the content.
func (m *mapping) contains(address uintptr) bool {
	return address-uintptr(unsafe.Pointer(unsafe.SliceData(m.data))) < uintptr(len(m.data))
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
