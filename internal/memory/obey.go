package memory

import "runtime/debug"

// Obey makes the collector of garbage work harder the nearer the process comes to a
// limit on its address space, which Go would otherwise run into with garbage that
// nobody needs. Without a limit, and where GOMEMLIMIT sets a smaller one, it changes
// nothing.
func Obey() {
	if left, limited := left(); limited {
		if goal := soft(left); goal < debug.SetMemoryLimit(-1) {
			debug.SetMemoryLimit(goal)
		}
	}
}

// soft returns the number of bytes to be kept below: threads and fragments take
// addresses, too, for which a quarter is left.
func soft(left float64) int64 {
	return int64(max(slack, left*3/4))
}
