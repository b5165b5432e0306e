//go:build unix

package load

import "syscall"

// setReceiveBuffer sets the bytes that a connection holds which were not read.
func setReceiveBuffer(fd uintptr, bytes int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, bytes)
}
