package weights

import (
	"os"
	"syscall"
	"unsafe"
)

// forget takes the whole pages of what was read of a mapped file off the memory of the
// process. They are read again when they are needed.
func (m *mapping) forget(raw []byte) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(raw)))
	if m == nil || !m.contains(first) {
		return // a copy
	}
	page := os.Getpagesize()
	head := -int(first) & (page - 1)
	if whole := (len(raw) - head) &^ (page - 1); whole > 0 {
		_ = syscall.Madvise(raw[head:head+whole], syscall.MADV_DONTNEED) // a wish
	}
}
