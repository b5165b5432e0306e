package attack

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Mutator returns a changed copy of a file.
type Mutator func(r *rand.Rand, file []byte) []byte

// Bytes changes a file without knowing what it is.
func Bytes(r *rand.Rand, file []byte) []byte {
	out := bytes.Clone(file)
	for range 1 + r.IntN(3) {
		out = changeBytes(r, out)
	}
	return out
}

func changeBytes(r *rand.Rand, b []byte) []byte {
	if len(b) == 0 {
		return []byte(pick(r, words))
	}
	lo := r.IntN(len(b))
	hi := min(len(b), lo+1+r.IntN(16))
	switch r.IntN(8) {
	case 0:
		return b[:lo]
	case 1:
		return b[lo:]
	case 2:
		return slices.Delete(b, lo, hi)
	case 3:
		return slices.Insert(b, lo, bytes.Repeat(b[lo:hi], 1+r.IntN(50))...)
	case 4:
		return slices.Insert(b, lo, []byte(pick(r, words))...)
	case 5:
		fill := byte(r.IntN(3) * 127)
		for i := lo; i < hi; i++ {
			b[i] = fill
		}
	case 6:
		writeNumber(r, b[lo:])
	default:
		b[lo] ^= 1 << r.IntN(8)
	}
	return b
}

// writeNumber puts a large or small integer of some width at the beginning of b.
func writeNumber(r *rand.Rand, b []byte) {
	n := pick(r, []uint64{0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1})
	var raw [8]byte
	binary.LittleEndian.PutUint64(raw[:], n)
	copy(b, raw[:pick(r, []int{1, 2, 4, 8})])
}
