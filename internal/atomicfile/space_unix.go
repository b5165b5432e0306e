//go:build linux || darwin

package atomicfile

import (
	"errors"
	"syscall"
)

// isFull says whether a disk had no room.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// freeSpace returns what is free for users on the disk of a folder.
func freeSpace(dir string) (free space, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return free, false
	}
	free = space{bytes: s.Bavail * uint64(s.Bsize), files: s.Ffree}
	if s.Files == 0 {
		free.files = 1 // the disk does not count them
	}
	return free, true
}
