package dtype

import "math/bits"

// Elements returns the number of elements of a shape, or false when an axis is
// negative or the number exceeds limit.
func Elements(shape []int, limit int64) (int64, bool) {
	n, zero := uint64(1), false
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		zero = zero || d == 0
	}
	if zero {
		return 0, true
	}
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > uint64(limit) {
			return 0, false
		}
		n = lo
	}
	return int64(n), n <= uint64(limit)
}

// Contiguous reports whether strides, in elements, describe a row-major array
// without gaps. Strides of axes of length one do not matter.
func Contiguous(shape, stride []int) bool {
	want := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 && stride[i] != want {
			return false
		}
		want *= shape[i]
	}
	return true
}

// Gather copies the elements of a strided view to dst in row-major order. Sizes
// are in bytes, strides and offset in elements; the caller has checked that the
// view lies within src and that dst holds it.
func Gather(dst, src []byte, size int, shape, stride []int, offset int) {
	if len(shape) == 0 {
		copy(dst[:size], src[offset*size:])
		return
	}
	rows, step := shape[0], stride[0]
	if len(shape) == 1 {
		for i := range rows {
			copy(dst[i*size:(i+1)*size], src[(offset+i*step)*size:])
		}
		return
	}
	if rows == 0 {
		return
	}
	block := len(dst) / rows
	for i := range rows {
		Gather(dst[i*block:(i+1)*block], src, size, shape[1:], stride[1:], offset+i*step)
	}
}
