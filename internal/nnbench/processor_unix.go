//go:build unix

package nnbench

import (
	"syscall"
	"time"
)

// processorTime returns what all threads of the process have computed so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
