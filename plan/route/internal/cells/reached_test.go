package cells

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/go-pcd/pcd/internal/memory"
)

// A search has the states that it reached, with their moves, and nothing of the searches before it, however many there were.
func TestReached(t *testing.T) {
	if size := unsafe.Sizeof(slot(0)); size != bytesOfSlot {
		t.Fatalf("a slot has %d bytes, and %d are counted", size, bytesOfSlot)
	}
	draw := rand.New(rand.NewPCG(1, 9))
	r := reached{room: &memory.Room{Left: 1 << 24}}
	for search := range 1<<searchBits + 50 {
		r.forget()
		states := 3
		if search%10000 == 0 || search > 1<<searchBits-3 {
			states = 3000
		}
		const far = 1<<45 - 1 // the last state that a slot has room for
		want := map[int64]uint8{}
		for range states {
			state, move := draw.Int64N(5000), uint8(draw.IntN(directions+1))
			if draw.IntN(2) == 0 {
				state = far - state
			}
			if _, known := want[state]; known == r.add(state, move) {
				t.Fatalf("search %d: state %d is new: %v", search, state, known)
			} else if !known {
				want[state] = move
			}
		}
		for state, move := range want {
			if !r.has(state) || r.by(state) != move {
				t.Fatalf("search %d: state %d was reached by %d, want %d", search, state, r.by(state), move)
			}
		}
		if r.has(7777) {
			t.Fatalf("search %d has a state that it never reached", search)
		}
	}
}
