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
