package cells

import "math/bits"

// occupants says which robots are in which cells at one time: a table with open addressing of a power
// of two of slots, at most half of which are taken. A crowd is in few of the cells of a large map.
type occupants []occupant

type occupant struct{ cell, robot int32 } // cell is nobody where the slot is free

// bytesOfOccupant is the size of a slot.
const bytesOfOccupant = 8

// occupantsFor returns how many slots so many robots need.
func occupantsFor(robots int) int { return 1 << bits.Len(uint(2*robots-1)) }

// slot returns that of a cell, or the free one where it would be.
func (o occupants) slot(cell int32) int {
	at := o.first(cell)
	for o[at].cell != cell && o[at].cell != nobody {
		at = (at + 1) & (len(o) - 1)
	}
	return at
}

// first returns the slot that is looked at first for a cell.
func (o occupants) first(cell int32) int {
	return int(uint32(cell)*0x9e3779b1>>8) & (len(o) - 1)
}

// in returns who is in a cell.
func (o occupants) in(cell int32) int32 {
	if s := o[o.slot(cell)]; s.cell != nobody {
		return s.robot
	}
	return nobody
}

func (o occupants) enter(cell, robot int32) { o[o.slot(cell)] = occupant{cell, robot} }

// leave frees a cell, and moves those up who were looked for from there on.
func (o occupants) leave(cell int32) {
	hole := o.slot(cell)
	for at := hole; ; {
		at = (at + 1) & (len(o) - 1)
		if o[at].cell == nobody {
			break
		}
		if late := (at - o.first(o[at].cell)) & (len(o) - 1); late >= (at-hole)&(len(o)-1) {
			o[hole] = o[at]
			hole = at
		}
	}
	o[hole].cell = nobody
}
