//go:build !linux && !darwin

package atomicfile

// isFull recognises nothing here, where the free space is not known either.
func isFull(error) bool { return false }

func freeSpace(string) (free space, known bool) { return space{}, false }
