package kernel

import "unsafe"

// Slack is how many elements past the end of a slice from [Alloc] exist, for
// vectors that start in the slice.
const Slack = 16

const cacheLine = 64

// Alloc returns n zeros that start on a cache line, so that no vector of a row
// straddles two. The capacity leaves Slack elements after them.
func Alloc(n int) []float32 {
	s := make([]float32, n+Slack+cacheLine/4)
	skip := 0
	if r := uintptr(unsafe.Pointer(unsafe.SliceData(s))) % cacheLine; r != 0 {
		skip = int(cacheLine-r) / 4
	}
	return s[skip : skip+n : skip+n+Slack]
}

// Round returns n rounded up to a multiple of m.
func Round(n, m int) int { return (n + m - 1) / m * m }
