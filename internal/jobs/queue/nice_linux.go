package queue

import (
	"os/exec"
	"runtime"
	"syscall"
)

// niceness is how far commands stand back behind plans that somebody waits for.
const niceness = 10

// startNicely starts a command that leaves the processors to others. It inherits the
// priority of the thread that starts it, and that thread is used for nothing else.
func startNicely(c *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), niceness)
		started <- c.Start()
	}()
	return <-started
}
