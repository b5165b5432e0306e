//go:build unix

package cputime

import (
	"syscall"
	"time"
)

func process() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return sinceStart()
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
