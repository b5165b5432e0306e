//go:build amd64 && !purego

package kernel

import (
	"os"
	"syscall"
)

// requestTiles asks the kernel for the registers of matrix tiles, for all threads of the
// process, and reports whether it gives them. They make what signal handlers find on their
// stacks 8 KB larger: a process that wants none of it chooses other kernels.
func requestTiles() bool {
	if v := os.Getenv(Variable); v != "" && v != AMX.String() {
		return false
	}
	const requestPermission, tileData = 0x1023, 18
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
}
