//go:build !linux

package memory

// left knows of no limit here.
func left() (bytes float64, limited bool) { return 0, false }
