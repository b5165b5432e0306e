package kernel

import (
	le "encoding/binary"
	"fmt"
	"math"
)

// Format says how the numbers of a [Tensor] are written.
type Format int

// The formats of weights, all little-endian.
const (
	F32  Format = iota // IEEE 754 binary32
	F16                // IEEE 754 binary16
	BF16               // the upper half of binary32
)

// Bytes returns the size of a number.
func (f Format) Bytes() int {
	if f == F32 {
		return 4
	}
	return 2
}

// String returns the name of the format, as safetensors files spell it.
func (f Format) String() string {
	switch f {
	case F32:
		return "F32"
	case F16:
		return "F16"
	case BF16:
		return "BF16"
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// Tensor is an array of weights, where it lies: numbers in memory, or the bytes of a
// file. Numbers of half the precision are widened where they are used, so that they
// need half the memory.
type Tensor struct {
	Floats []float32 // or nil
	Bytes  []byte    // without floats, in the format
	Format Format
}

// Len returns the number of elements.
func (t Tensor) Len() int {
	if t.Floats != nil {
		return len(t.Floats)
	}
	return len(t.Bytes) / t.Format.Bytes()
}

// Slice returns n elements from the given one on, in the same memory.
func (t Tensor) Slice(from, n int) Tensor {
	if t.Floats != nil {
		return Tensor{Floats: t.Floats[from : from+n : from+n]}
	}
	b := t.Format.Bytes()
	return Tensor{Bytes: t.Bytes[b*from : b*(from+n) : b*(from+n)], Format: t.Format}
}

// Read writes the elements from the given one on to dst.
func (t Tensor) Read(dst []float32, from int) {
	if t.Floats != nil {
		copy(dst, t.Floats[from:from+len(dst)])
		return
	}
	b := t.Format.Bytes()
	Widen(dst, t.Bytes[b*from:b*(from+len(dst))], t.Format)
}

// view returns n elements from the given one on: in place, or read into work.
func (t Tensor) view(work []float32, from, n int) []float32 {
	if t.Floats != nil {
		return t.Floats[from : from+n]
	}
	t.Read(work[:n], from)
	return work[:n]
}

// viewSpare is view with transposeSpare elements of any value after those wanted.
func (t Tensor) viewSpare(work []float32, from, n int) []float32 {
	if end := from + n + transposeSpare; t.Floats != nil && end <= len(t.Floats) {
		return t.Floats[from:end]
	}
	t.Read(work[:n], from)
	return work[:n+transposeSpare]
}

// Widen writes the numbers of src to dst, without rounding.
func Widen(dst []float32, src []byte, f Format) {
	if len(src) != f.Bytes()*len(dst) {
		panic("kernel: widening a different number of elements")
	}
	for i := widenVectors(dst, src, f); i < len(dst); i++ {
		switch f {
		case F32:
			dst[i] = math.Float32frombits(le.LittleEndian.Uint32(src[4*i:]))
		case F16:
			dst[i] = fromHalf(le.LittleEndian.Uint16(src[2*i:]))
		case BF16:
			dst[i] = math.Float32frombits(uint32(le.LittleEndian.Uint16(src[2*i:])) << 16)
		}
	}
}

// fromHalf returns the value of a number of binary16. Signalling NaNs become quiet, as
// the instructions do it.
func fromHalf(h uint16) float32 {
	sign, rest := uint32(h>>15)<<31, uint32(h&0x7FFF)
	switch {
	case rest > 0x7C00:
		return math.Float32frombits(sign | 0x7FC00000 | rest<<13)
	case rest == 0x7C00:
		return math.Float32frombits(sign | 0x7F800000)
	case rest < 0x0400: // subnormal: rest units of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(rest)*0x1p-24))
	}
	return math.Float32frombits(sign | (rest<<13 + 112<<23))
}
