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
	Machine    bool // Left is what the machine has free, not what a limit on the process leaves
}

func (e *Error) Error() string {
	whose, remedy := "the limit of this process leaves", "raise the limit (ulimit -v)"
	if e.Machine {
		whose, remedy = "this machine has free", "end other programs"
	}
	return fmt.Sprintf("%s need about %.1f GiB of memory, of which %s %.1f: ask for less, or %s", e.What, e.Need/(1<<30), whose, e.Left/(1<<30), remedy)
}

// unknown is taken for the memory of a machine that does not tell.
const unknown = 4 << 30

// Machine returns how many bytes the machine has, the container may have or a limit on the
// process leaves, whichever is least.
func Machine() int64 {
	bytes, known := total()
	if !known {
		bytes = unknown
	}
	if left, limited := left(); limited {
		bytes = min(bytes, max(left, slack))
	}
	return int64(bytes)
}

// Check returns an [Error] for n things of so many bytes each that a limit on the
// address space of the process leaves no room for. Without a limit, all is well.
func Check(n, each float64, what string) error {
	left, limited := left()
	return check(n*each, left, limited, Error{What: what})
}

// CheckMachine is [Check] for n processes, this one and others that it starts, of so many
// bytes each: it also returns an [Error] where the machine, or the container, has less for
// all of them. Where the system does not tell, all is well.
func CheckMachine(n, each float64, what string) error {
	if err := Check(1, each, what); err != nil {
		return err
	}
	free, known := free()
	return check(n*each, free, known, Error{What: what, Machine: true})
}

func check(need, left float64, limited bool, e Error) error {
	if left = max(0, left-slack); limited && need > left {
		e.Need, e.Left = need, left
		return &e
	}
	return nil
}
