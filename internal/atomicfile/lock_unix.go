//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"syscall"
)

// lock waits until no other program has a folder locked, and locks it until it is closed.
// Where the file system has no locks, programs that write to one folder at once are not
// kept apart.
func lock(f *os.File) {
	for syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == syscall.EINTR {
	}
}
