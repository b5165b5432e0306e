package memory

import (
	"fmt"
	"os"
	"syscall"
)

// left returns how many bytes of addresses the process may still take, and whether
// that is limited.
func left() (bytes float64, limited bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= 1<<62 {
		return 0, false
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	var pages float64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return 0, false
	}
	return float64(limit.Cur) - pages*float64(os.Getpagesize()), true
}
