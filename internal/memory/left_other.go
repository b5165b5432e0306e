//go:build !linux

package memory

// left knows of no limit here.
func left() (bytes float64, limited bool) { return 0, false }

// total knows nothing of the machine here.
func total() (bytes float64, known bool) { return 0, false }

// free knows nothing of the machine here.
func free() (bytes float64, known bool) { return 0, false }
