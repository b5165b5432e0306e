//go:build unix && !solaris && !aix

package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// Lock takes the folder of a job, if nobody has it: neither a server nor a command that one
// has begun. It is held until it is closed, here and by the command.
func (f *Folder) Lock() (lock *os.File, ok bool, err error) {
	if lock, err = os.OpenFile(f.file(lockFile), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, false, err
	}
	for {
		switch err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case nil:
			return lock, true, nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return nil, false, lock.Close()
		default:
			return nil, false, err
		}
	}
}

// Hand lets a command hold a lock too, so that it is held as long as either of them lives.
func Hand(c *exec.Cmd, lock *os.File) { c.ExtraFiles = append(c.ExtraFiles, lock) }
