package kernel

import (
	le "encoding/binary"
	"unsafe"
)

// InPlace returns a tensor of the bytes of a file: float32 numbers that lie as this
// machine has them are used where they are, others are widened piece by piece.
func InPlace(raw []byte, f Format) Tensor {
	p := unsafe.Pointer(unsafe.SliceData(raw))
	if f == F32 && len(raw) > 0 && uintptr(p)%unsafe.Alignof(float32(0)) == 0 && littleEndian() {
		return Tensor{Floats: unsafe.Slice((*float32)(p), len(raw)/4)}
	}
	return Tensor{Bytes: raw, Format: f}
}

func littleEndian() bool { return le.NativeEndian.Uint16([]byte{1, 0}) == 1 }
