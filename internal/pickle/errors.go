package pickle

import "fmt"

// Error says at which byte of a pickle which instruction could not be followed.
type Error struct {
	Offset int  // position of the instruction in the pickle
	Opcode byte // the instruction
	Reason string
	Err    error // what the resolver said, or nil
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("pickle: byte %d, instruction %#02x: %s", e.Offset, e.Opcode, e.Reason)
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

// Unwrap returns what the resolver said.
func (e *Error) Unwrap() error { return e.Err }
