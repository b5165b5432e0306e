//go:build unix

package regular

import "syscall"

// atOnce keeps the opening of a pipe from waiting for its other end, and that of a
// terminal from making it the one of this program.
const atOnce = syscall.O_NONBLOCK | syscall.O_NOCTTY
