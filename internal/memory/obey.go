package memory

import (
	"runtime"
	"runtime/debug"
)

// perProcessor is how many addresses there should be for each processor in use: for
// its threads, of which the allocator of C reserves 64 MiB each where a program is
// linked with it, and for the scratch memory of the work that runs there.
const perProcessor = 128 << 20

// Obey makes the collector of garbage work harder the nearer the process comes to a
// limit on its address space, which Go would otherwise run into with garbage that
// nobody needs, and uses no more processors than the limit has room for. Without a
// limit, and where GOMEMLIMIT sets a smaller one, it changes nothing.
func Obey() {
	left, limited := left()
	if !limited {
		return
	}
	if goal := soft(left); goal < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(goal)
	}
	if most := processors(left); most < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(most)
	}
}

// soft returns the number of bytes to be kept below: threads and fragments take
// addresses, too, for which a quarter is left.
func soft(left float64) int64 {
	return int64(max(slack, left*3/4))
}

// processors returns how many of them so many bytes have room for.
func processors(left float64) int {
	return int(max(1, min(left/perProcessor, 1<<20)))
}
