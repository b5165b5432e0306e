package atomicfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/go-pcd/pcd/internal/fault"
)

// unnamed opens a file in a folder that has no name yet. Some file systems cannot.
func unnamed(dir string) (*os.File, error) {
	if err := fault.Point(fault.Create, dir); err != nil {
		return nil, err
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, fileMode)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir)
	if _, err := os.Stat(link(f)); err != nil { // without /proc it can never get a name
		f.Close()
		return nil, err
	}
	return f, nil
}

// link is the path under which an open file can be named.
func link(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// linkAs gives a file without a name one that no other file has. Else its error matches
// [fs.ErrExist].
func linkAs(f *os.File, path string) error {
	if err := fault.Point(fault.Link, path); err != nil {
		return err
	}
	return unix.Linkat(unix.AT_FDCWD, link(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}
