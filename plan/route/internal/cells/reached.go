package cells

import "github.com/go-pcd/pcd/internal/memory"

// reached holds the states that a search came to, and the moves by which it did: a table with open
// addressing, as a search comes to few of all cells at all times. What a slot has of another search is
// nothing.
type reached struct {
	room   *memory.Room
	slots  []slot // a power of two
	used   int    // in this search
	search int32
}

type slot struct {
	state  int64
	search int32 // in which it was reached, from 1 on
	move   uint8
}

// bytesOfSlot is the size of one.
const bytesOfSlot = 16

// forget begins another search.
func (r *reached) forget() { r.search, r.used = r.search+1, 0 }

// find returns the slot of a state, or the free one where it would be.
func (r *reached) find(state int64) *slot {
	at := uint64(state) * 0x9e3779b97f4a7c15 >> 20
	for {
		s := &r.slots[at&uint64(len(r.slots)-1)]
		if s.search != r.search || s.state == state {
			return s
		}
		at++
	}
}

// has reports whether a state was reached.
func (r *reached) has(state int64) bool { return r.used > 0 && r.find(state).search == r.search }

// by returns the move by which a state was reached.
func (r *reached) by(state int64) uint8 { return r.find(state).move }

// add enters a state and reports whether it is new and has room.
func (r *reached) add(state int64, move uint8) bool {
	if 2*r.used >= len(r.slots) && !r.grow() {
		return false
	}
	s := r.find(state)
	if s.search == r.search {
		return false
	}
	*s = slot{state, r.search, move}
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
		if s.search == r.search {
			*r.find(s.state) = s
		}
	}
	return true
}
