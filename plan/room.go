package plan

import "github.com/go-pcd/pcd/internal/memory"

// MinMemory is the least [Options.Memory] that requests may ask for, in bytes.
const MinMemory = 1 << 20

// MemoryBudget returns the memory that searches may take, in bytes.
func (o Options) MemoryBudget() int64 {
	if o.Memory > 0 {
		return o.Memory
	}
	return memory.Machine() / 4
}

// memory returns the part of it that they count: the collector of garbage lets a heap
// double.
func (o Options) memory() int64 { return o.MemoryBudget() / 2 }

// room is the memory that a search may still take, in bytes that its data structures count:
// what is found depends on the budget of a run, and on no machine.
type room struct {
	left int64
	full bool // more was asked for than there was
}

// take reports whether there is room for so many bytes more, and takes it.
func (r *room) take(bytes int) bool {
	if int64(bytes) > r.left {
		r.full = true
		return false
	}
	r.left -= int64(bytes)
	return true
}

// The bytes of a pointer or a number, and of the header of a slice.
const (
	wordBytes  = 8
	sliceBytes = 3 * wordBytes
)
