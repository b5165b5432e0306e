package memory

// Room is the memory that a search may still take, in bytes that its data structures count:
// what is found depends on the budget of a run, and on no machine.
type Room struct {
	Left int64
	Full bool // more was asked for than there was
}

// Take reports whether there is room for so many bytes more, and takes it.
func (r *Room) Take(bytes int) bool {
	if int64(bytes) > r.Left {
		r.Full = true
		return false
	}
	r.Left -= int64(bytes)
	return true
}

// The bytes of a pointer or a number, and of the header of a slice.
const (
	WordBytes  = 8
	SliceBytes = 3 * WordBytes
)
