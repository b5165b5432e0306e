//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package weights

import (
	"io/fs"
	"math"
	"syscall"

	"github.com/go-pcd/pcd/internal/regular"
)

// openMapping maps a file read-only, so that opening a checkpoint of a gigabyte
// costs no memory until its tensors are read.
func openMapping(path string) (*mapping, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // a mapping outlives its file descriptor
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	switch {
	case size == 0: // cannot be mapped
		return &mapping{path: path, release: func([]byte) error { return nil }}, nil
	case size > math.MaxInt:
		return nil, &fs.PathError{Op: "mmap", Path: path, Err: syscall.EFBIG}
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: path, Err: err}
	}
	return &mapping{path: path, data: data, release: syscall.Munmap}, nil
}
