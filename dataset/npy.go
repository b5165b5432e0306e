package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/weights"
)

const (
	npyMagic  = "\x93NUMPY"
	maxHeader = 64 << 10 // bytes of a header; NumPy itself stops at 10 000
)

// ReadNPY reads one array in NumPy's .npy format, versions 1 to 3, in either byte
// order. Column-major arrays are put in row-major order. Memory grows with what
// r delivers, not with what the header claims. It returns a [FormatError].
//
// Source: NumPy Enhancement Proposal 1 and numpy/lib/format.
func ReadNPY(r io.Reader, opts ReadOptions) (Array, error) { return readNPY(r, opts, 0) }

// readNPY reads an array; known is the number of bytes that are certain to follow, so
// that memory can be allocated at once.
func readNPY(r io.Reader, opts ReadOptions, known int64) (Array, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return Array{}, &FormatError{File: "npy", Reason: "header", Err: err}
	}
	limit := opts.maxBytes()
	size := int64(memoryType(h.stored).Size())
	n, ok := dtype.Elements(h.shape, limit/size)
	if !ok {
		return Array{}, &limitError{What: fmt.Sprintf("npy: bytes for shape %v", h.shape), Value: saturate(h.shape, size), Limit: limit}
	}
	data, err := readElements(r, h, int(n), known)
	if err != nil {
		return Array{}, &FormatError{File: "npy", Reason: fmt.Sprintf("shape %v of %v", h.shape, h.stored), Err: err}
	}
	return Array{Shape: h.shape, Data: data}, nil
}

// saturate returns the bytes of a shape, or the largest integer.
func saturate(shape []int, size int64) int64 {
	const most = 1<<63 - 1
	if n, ok := dtype.Elements(shape, most/size); ok {
		return n * size
	}
	return most
}

func readNPYHeader(r io.Reader) (npyHeader, error) {
	var fixed [8]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return npyHeader{}, noEOF(err)
	}
	if string(fixed[:6]) != npyMagic {
		return npyHeader{}, fmt.Errorf("begins with %q, want %q", fixed[:6], npyMagic)
	}
	var length [4]byte
	width := 4
	switch fixed[6] {
	case 1:
		width = 2
	case 2, 3:
	default:
		return npyHeader{}, fmt.Errorf("format version %d.%d, want 1 to 3", fixed[6], fixed[7])
	}
	if _, err := io.ReadFull(r, length[:width]); err != nil {
		return npyHeader{}, noEOF(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return npyHeader{}, fmt.Errorf("%d bytes, the limit is %d", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return npyHeader{}, noEOF(err)
	}
	return parseNPYHeader(string(text))
}

// noEOF says of a file that ends too early that it does.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// memoryType returns the type in which elements of a file are held.
func memoryType(stored weights.DType) weights.DType {
	switch stored {
	case dtype.F16:
		return dtype.F32
	case dtype.I8, dtype.I16, dtype.U16:
		return dtype.I32
	case dtype.U32:
		return dtype.I64
	}
	return stored
}

// readElements reads n elements and returns them as a slice of an [Element].
func readElements(r io.Reader, h npyHeader, n int, known int64) (any, error) {
	switch memoryType(h.stored) {
	case dtype.F32:
		return readAs(r, h, n, known, dtype.Float32s)
	case dtype.F64:
		return readAs(r, h, n, known, dtype.Float64s)
	case dtype.I64:
		return readAs(r, h, n, known, dtype.Int64s)
	case dtype.I32:
		return readAs(r, h, n, known, narrow(func(v int64) int32 { return int32(v) }))
	case dtype.U8:
		return readAs(r, h, n, known, narrow(func(v int64) uint8 { return uint8(v) }))
	case dtype.Bool:
		return readAs(r, h, n, known, narrow(func(v int64) bool { return v != 0 }))
	}
	return nil, errors.New("not a number type that is read")
}

// narrow decodes through int64 a type that fits T.
func narrow[T Element](convert func(int64) T) func(d weights.DType, dst []T, src []byte) {
	var wide []int64
	return func(d weights.DType, dst []T, src []byte) {
		wide = slices.Grow(wide[:0], len(dst))[:len(dst)]
		dtype.Int64s(d, wide, src)
		for i, v := range wide {
			dst[i] = convert(v)
		}
	}
}

// readAs reads n elements piece by piece, so that memory grows with the input.
func readAs[T Element](r io.Reader, h npyHeader, n int, known int64, decode func(d weights.DType, dst []T, src []byte)) ([]T, error) {
	const piece = 1 << 14
	size := h.stored.Size()
	out := make([]T, 0, min(n, max(piece, int(min(known, int64(n)*int64(size)))/size)))
	raw := make([]byte, min(n, piece)*size)
	for len(out) < n {
		m := min(piece, n-len(out))
		if got, err := io.ReadFull(r, raw[:m*size]); err != nil {
			return nil, fmt.Errorf("ends after %d of %d elements: %w", len(out)+got/size, n, noEOF(err))
		}
		if h.bigEndian {
			reverse(raw[:m*size], size)
		}
		out = slices.Grow(out, m)[:len(out)+m]
		decode(h.stored, out[len(out)-m:], raw)
	}
	if h.fortran && len(h.shape) > 1 {
		out = rowMajor(out, h.shape)
	}
	return out, nil
}

// reverse turns the bytes of each element around.
func reverse(raw []byte, size int) {
	for ; len(raw) > 0; raw = raw[size:] {
		slices.Reverse(raw[:size])
	}
}

// rowMajor reorders the elements of a column-major array.
func rowMajor[T Element](data []T, shape []int) []T {
	out := make([]T, len(data))
	stride := make([]int, len(shape)) // of the source
	step := 1
	for i, d := range shape {
		stride[i] = step
		step *= d
	}
	index := make([]int, len(shape))
	at := 0
	for i := range out {
		out[i] = data[at]
		for k := len(shape) - 1; k >= 0; k-- {
			index[k]++
			at += stride[k]
			if index[k] < shape[k] {
				break
			}
			at -= index[k] * stride[k]
			index[k] = 0
		}
	}
	return out
}
