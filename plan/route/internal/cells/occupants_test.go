package cells

import (
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/internal/memory"
)

// Tables of cells and states say what maps say, whoever enters and leaves.
func TestTablesAreMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 1))
	o, want := make(occupants, occupantsFor(20)), map[int32]int32{}
	for k := range o {
		o[k].cell = nobody
	}
	for range 20000 {
		cell := r.Int32N(60)
		if _, ok := want[cell]; ok {
			o.leave(cell)
			delete(want, cell)
		} else if len(want) < 20 {
			want[cell] = r.Int32N(20)
			o.enter(cell, want[cell])
		}
		at := r.Int32N(60)
		robot, ok := want[at]
		if got := o.in(at); ok && got != robot || !ok && got != nobody {
			t.Fatalf("robot %d in cell %d, want %d (%v)", got, at, robot, ok)
		}
	}
	v := reached{room: &memory.Room{Left: 1 << 15}}
	for range 5 {
		v.forget()
		all := map[int64]uint8{}
		for range 3000 {
			state, move := r.Int64N(1<<40)>>r.IntN(38), uint8(r.IntN(5))
			known, ok := all[state]
			if v.has(state) != ok || ok && v.by(state) != known || v.add(state, move) == ok && len(all) < 2048 {
				t.Fatalf("state %d by %d, want %d (%v)", state, v.by(state), known, ok)
			}
			if !ok && v.has(state) {
				all[state] = move
			}
		}
		if len(all) < 1024 || len(all) > 2048 {
			t.Fatalf("%d states, want as many as there is room for, half of 4096", len(all))
		}
	}
}
