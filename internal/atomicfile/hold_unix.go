//go:build unix && !solaris && !aix

package atomicfile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// hold marks a folder as used until it is closed or the program dies. It succeeds
// where the file system has no locks: there nothing counts as abandoned.
func hold(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != syscall.EINTR {
			return nil
		}
	}
}

// abandoned says whether no living program holds a folder, and keeps others from
// holding it until f is closed.
func abandoned(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// mine says whether a file belongs to the user of this program.
func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// number returns the number of a file on its disk, which no copy has.
func number(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "?"
	}
	return fmt.Sprint(s.Ino)
}
