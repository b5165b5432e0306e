//go:build amd64 && !purego && !linux

package kernel

// requestTiles reports that this system is not asked for matrix tiles.
func requestTiles() bool { return false }
