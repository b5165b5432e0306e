// Package memory refuses work that the memory which a process may take has no room
// for. Go ends a program that cannot have its memory, with neither report nor exit
// code of its own, so that whoever knows how large a request is asks before it begins.
package memory

import "fmt"

// slack is left for what is not counted: stacks, and what waits to be collected.
const slack = 64 << 20

// Error says that work needs more memory than there is.
type Error struct {
	What       string // for instance "4096 pairs"
	Need, Left float64
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s need about %.1f GiB of memory, of which the limit of this process leaves %.1f: ask for fewer, or raise the limit (ulimit -v)",
		e.What, e.Need/(1<<30), e.Left/(1<<30))
}

// Check returns an [Error] for n things of so many bytes each that a limit on the
// address space of the process leaves no room for. Without a limit, all is well.
func Check(n, each float64, what string) error {
	left, limited := left()
	return check(n*each, left, limited, what)
}

func check(need, left float64, limited bool, what string) error {
	if left = max(0, left-slack); limited && need > left {
		return &Error{What: what, Need: need, Left: left}
	}
	return nil
}
