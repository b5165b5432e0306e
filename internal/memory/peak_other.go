//go:build !linux

package memory

// ForgetPeak does nothing here.
func ForgetPeak() {}

// Peak knows nothing here.
func Peak() int64 { return 0 }
