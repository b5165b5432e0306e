package dtype

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

var le = binary.LittleEndian

// Float32s decodes len(dst) elements of a float type from src, rounding float64
// to the nearest float32. It panics when d is not a float type.
func Float32s(d DType, dst []float32, src []byte) {
	switch d {
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
		}
	case F64:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(le.Uint64(src[8*i:])))
		}
	case F16:
		for i := range dst {
			h := le.Uint16(src[2*i:])
			if h&0x7c00-0x400 < 0x7800 { // normal, as nearly all are, without a call
				dst[i] = math.Float32frombits(uint32(h&0x8000)<<16 | uint32(h&0x7fff)<<13 + (127-15)<<23)
				continue
			}
			dst[i] = halfToFloat(h)
		}
	case BF16:
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(le.Uint16(src[2*i:])) << 16)
		}
	default:
		panic(fmt.Sprintf("dtype: %v does not convert to float32", d))
	}
}

// Float64s decodes len(dst) elements of a float or integer type from src.
// It panics for other types.
func Float64s(d DType, dst []float64, src []byte) {
	switch {
	case d == F64:
		for i := range dst {
			dst[i] = math.Float64frombits(le.Uint64(src[8*i:]))
		}
	case Float(d):
		var piece [256]float32
		for len(dst) > 0 {
			n := min(len(piece), len(dst))
			Float32s(d, piece[:n], src)
			for i, v := range piece[:n] {
				dst[i] = float64(v)
			}
			dst, src = dst[n:], src[n*d.Size():]
		}
	default:
		for i := range dst {
			dst[i] = float64(d.integer(src[i*d.Size():]))
		}
	}
}

// NonFinite counts the elements of src that are NaN or infinite as float32: those with
// the largest exponent, and float64 numbers beyond float32. It panics when d is not a
// float type.
func NonFinite(d DType, src []byte) (n int) {
	switch d {
	case F32:
		return fullExponents(src, 4, 0x7f800000_7f800000, 0x00800000_00800000)
	case F16:
		return fullExponents(src, 2, 0x7c00_7c00_7c00_7c00, 0x0400_0400_0400_0400)
	case BF16:
		return fullExponents(src, 2, 0x7f80_7f80_7f80_7f80, 0x0080_0080_0080_0080)
	case F64:
		for ; len(src) >= 8; src = src[8:] {
			if v := math.Float64frombits(le.Uint64(src)); math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
				n++
			}
		}
	default:
		panic(fmt.Sprintf("dtype: %v is not a float type", d))
	}
	return n
}

// fullExponents counts the elements of some bytes whose exponent has all of its bits, eight bytes
// at a time: mask has those of the elements, and unit the lowest of each, which added to a full
// exponent carries to the place of the sign.
func fullExponents(src []byte, size int, mask, unit uint64) (n int) {
	signs := mask + unit
	for ; len(src) >= 8; src = src[8:] {
		n += bits.OnesCount64((le.Uint64(src)&mask + unit) & signs)
	}
	var rest [8]byte // zeros beyond the last element
	copy(rest[:], src[:len(src)/size*size])
	return n + bits.OnesCount64((le.Uint64(rest[:])&mask+unit)&signs)
}

// Int64s decodes len(dst) elements of an integer type from src. It panics when d
// is not an integer type.
func Int64s(d DType, dst []int64, src []byte) {
	for i := range dst {
		dst[i] = d.integer(src[i*d.Size():])
	}
}

func (d DType) integer(src []byte) int64 {
	switch d {
	case I64:
		return int64(le.Uint64(src))
	case I32:
		return int64(int32(le.Uint32(src)))
	case I16:
		return int64(int16(le.Uint16(src)))
	case I8:
		return int64(int8(src[0]))
	case U32:
		return int64(le.Uint32(src))
	case U16:
		return int64(le.Uint16(src))
	case U8:
		return int64(src[0])
	case Bool:
		if src[0] != 0 {
			return 1
		}
		return 0
	}
	panic(fmt.Sprintf("dtype: %v does not convert to int64", d))
}

// AppendFloat32s appends src encoded as a float type, rounded to the nearest
// value with ties to even. It panics when d is not a float type.
func AppendFloat32s(d DType, dst []byte, src []float32) []byte {
	for _, v := range src {
		switch d {
		case F32:
			dst = le.AppendUint32(dst, math.Float32bits(v))
		case F64:
			dst = le.AppendUint64(dst, math.Float64bits(float64(v)))
		case F16:
			dst = le.AppendUint16(dst, floatToHalf(v))
		case BF16:
			dst = le.AppendUint16(dst, floatToBrain(v))
		default:
			panic(fmt.Sprintf("dtype: float32 does not convert to %v", d))
		}
	}
	return dst
}
