//go:build unix

package manifest

import "syscall"

// atOnce keeps the opening of a pipe from waiting for its other end.
const atOnce = syscall.O_NONBLOCK
