//go:build !unix || solaris || aix

package jobs

import (
	"os"
	"os/exec"
)

// Lock takes the folder of a job. Here nothing keeps others out of it but the queue: one
// server may use a store.
func (f *Folder) Lock() (lock *os.File, ok bool, err error) {
	lock, err = os.OpenFile(f.file(lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	return lock, err == nil, err
}

// Hand does nothing: files are not handed on here.
func Hand(*exec.Cmd, *os.File) {}
