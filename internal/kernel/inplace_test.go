package kernel

import (
	le "encoding/binary"
	"math"
	"slices"
	"testing"
)

// Bytes read the same in place, where they are not aligned, and in half the precision.
func TestInPlace(t *testing.T) {
	want := []float32{1, -2.5, 0, float32(math.Inf(1)), 0x1p-126}
	room := make([]byte, 4*len(want)+8)
	for shift := range 4 {
		raw := room[shift : shift+4*len(want)]
		for i, v := range want {
			le.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v))
		}
		x := InPlace(raw, F32)
		got := make([]float32, len(want)-1)
		x.Read(got, 1)
		if x.Len() != len(want) || !slices.Equal(got, want[1:]) {
			t.Errorf("%d bytes from the beginning: read %v of %d, want %v", shift, got, x.Len(), want[1:])
		}
		if y := InPlace(raw[:2*len(want)], BF16); y.Floats != nil || y.Len() != len(want) {
			t.Errorf("bfloat16: %d numbers, %d in place, want %d and none", y.Len(), len(y.Floats), len(want))
		}
	}
	if x := InPlace(nil, F32); x.Len() != 0 {
		t.Errorf("no bytes are %d numbers", x.Len())
	}
}
