package cells

import "github.com/go-pcd/pcd/internal/memory"

// reached holds the states that a search came to, and the moves by which it did: a table with open
// addressing, as a search comes to few of all cells at all times. What a slot has of another search is
// nothing.
type reached struct {
	room   *memory.Room
	slots  []slot // a power of two
	used   int    // in this search
	search slot   // from 1 on
}

// slot is a state, the search in which it was reached and, in its last bits, the move: 8 bytes, because searches come to
// tens of millions of states on large maps.
type slot uint64

// The bits of a move and of the number of a search, and the size of a slot.
const (
	moveBits    = 3
	searchBits  = 16
	bytesOfSlot = 8
)

// forget begins another search.
func (r *reached) forget() {
	if r.search, r.used = r.search+1, 0; r.search == 1<<searchBits {
		clear(r.slots) // numbers are used again
		r.search = 1
	}
}

// without returns what a slot of this search has for a state, without the move.
func (r *reached) without(state int64) slot { return slot(state)<<searchBits | r.search }

// free reports whether a slot has nothing of this search.
func (r *reached) free(s slot) bool { return s>>moveBits&(1<<searchBits-1) != r.search }

// find returns the slot of a state, or the free one where it would be.
func (r *reached) find(state int64) *slot {
	is := r.without(state)
	at := uint64(state) * 0x9e3779b97f4a7c15 >> 20
	for {
		s := &r.slots[at&uint64(len(r.slots)-1)]
		if *s>>moveBits == is || r.free(*s) {
			return s
		}
		at++
	}
}

// has reports whether a state was reached.
func (r *reached) has(state int64) bool { return r.used > 0 && !r.free(*r.find(state)) }

// by returns the move by which a state was reached.
func (r *reached) by(state int64) uint8 { return uint8(*r.find(state) & (1<<moveBits - 1)) }

// add enters a state and reports whether it is new and has room.
func (r *reached) add(state int64, move uint8) bool {
	if 2*r.used >= len(r.slots) && !r.grow() {
		return false
	}
	s := r.find(state)
	if !r.free(*s) {
		return false
	}
	*s = r.without(state)<<moveBits | slot(move)
	r.used++
	return true
}

// grow doubles the slots, if there is memory.
func (r *reached) grow() bool {
	old := r.slots
	size := max(2*len(old), 1<<10)
	if !r.room.Take(bytesOfSlot * (size - len(old))) {
		return false
	}
	r.slots = make([]slot, size)
	for _, s := range old {
		if !r.free(s) {
			*r.find(int64(s >> (moveBits + searchBits))) = s
		}
	}
	return true
}
