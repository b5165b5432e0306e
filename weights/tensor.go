package weights

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
)

// DType is the element type of a tensor.
type DType = dtype.DType

// The element types. The first four convert to float32, the next four and Bool
// to int64; the others are recognised so that a file can be described.
const (
	F32  = dtype.F32
	F64  = dtype.F64
	F16  = dtype.F16
	BF16 = dtype.BF16
	I64  = dtype.I64
	I32  = dtype.I32
	U8   = dtype.U8
	I8   = dtype.I8
	Bool = dtype.Bool
	I16  = dtype.I16
)

// Tensor is a named array in a file or in memory. It is a small value; copies
// refer to the same numbers.
type Tensor struct {
	Name  string
	Shape []int // axes of length zero are allowed; no axes for a scalar
	DType DType

	file   *mapping               // nil for a tensor in memory
	bytes  func() ([]byte, error) // little-endian elements of the storage
	stride []int                  // in elements; nil when row-major
	offset int                    // in elements
}

// New returns a float32 tensor in memory. It copies values, which must fill the
// shape.
func New(name string, shape []int, values []float32) Tensor {
	raw := dtype.AppendFloat32s(F32, make([]byte, 0, 4*len(values)), values)
	t := Tensor{Name: name, Shape: slices.Clone(shape), DType: F32, bytes: func() ([]byte, error) { return raw, nil }}
	if n, ok := dtype.Elements(shape, math.MaxInt64/8); !ok || int(n) != len(values) {
		panic(fmt.Sprintf("weights: %d values for shape %v", len(values), shape))
	}
	return t
}

// NewInts returns a tensor of integers in memory. It copies values, which must fill the shape.
func NewInts(name string, shape []int, values []int64) Tensor {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	t := Tensor{Name: name, Shape: slices.Clone(shape), DType: I64, bytes: func() ([]byte, error) { return raw, nil }}
	if n, ok := dtype.Elements(shape, math.MaxInt64/8); !ok || int(n) != len(values) {
		panic(fmt.Sprintf("weights: %d values for shape %v", len(values), shape))
	}
	return t
}

// Elements returns the number of elements.
func (t Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Bytes returns the size of the elements in bytes, as stored.
func (t Tensor) Bytes() int { return t.Elements() * t.DType.Size() }

// Float32s decodes the elements in row-major order into dst, which must have one
// place for each; nil allocates. float64 numbers are rounded to the nearest
// float32. It returns a [FormatError] when the elements are not floating-point
// numbers.
func (t Tensor) Float32s(dst []float32) ([]float32, error) {
	if !dtype.Float(t.DType) {
		return nil, &dtypeError{Tensor: t.Name, DType: t.DType, Want: wantFloat}
	}
	dst = t.room32(dst)
	return dst, t.read(func(raw []byte) error {
		dtype.Float32s(t.DType, dst, raw)
		return nil
	})
}

// Int64s decodes the elements of an integer or bool tensor in row-major order
// into dst, which must have one place for each; nil allocates.
func (t Tensor) Int64s(dst []int64) ([]int64, error) {
	if !dtype.Integer(t.DType) {
		return nil, &dtypeError{Tensor: t.Name, DType: t.DType, Want: "an integer type"}
	}
	if dst == nil {
		dst = make([]int64, t.Elements())
	}
	if len(dst) != t.Elements() {
		panic(fmt.Sprintf("weights: %d places for the %d elements of %q", len(dst), t.Elements(), t.Name))
	}
	return dst, t.read(func(raw []byte) error {
		dtype.Int64s(t.DType, dst, raw)
		return nil
	})
}

// rowMajor reports whether the elements lie in the storage in their order.
func (t Tensor) rowMajor() bool { return t.stride == nil || dtype.Contiguous(t.Shape, t.stride) }

func (t Tensor) room32(dst []float32) []float32 {
	if dst == nil {
		return make([]float32, t.Elements())
	}
	if len(dst) != t.Elements() {
		panic(fmt.Sprintf("weights: %d places for the %d elements of %q", len(dst), t.Elements(), t.Name))
	}
	return dst
}

// Raw calls f with the little-endian elements in row-major order. f must not keep or
// change them: they may lie in the file, and are gone when it is closed. What was read of the
// file does not count as memory of the process afterwards.
func (t Tensor) Raw(f func(raw []byte) error) error {
	return t.read(func(raw []byte) error {
		defer t.file.forget(raw)
		return f(raw)
	})
}

// Stored returns a copy of the little-endian elements in row-major order. It is for
// networks that use them in the precision of the file. What was read of the file does not
// count as memory of the process afterwards.
func (t Tensor) Stored() ([]byte, error) {
	out := make([]byte, t.Bytes())
	return out, t.Raw(func(raw []byte) error {
		copy(out, raw)
		return nil
	})
}

// use calls f with the storage, which cannot be released meanwhile.
func (t Tensor) use(f func(storage []byte) error) error {
	if t.bytes == nil {
		return &FormatError{Tensor: t.Name, Reason: "a description without elements"}
	}
	return t.file.use(func() error {
		storage, err := t.bytes()
		if err != nil {
			return err
		}
		return f(storage)
	})
}

// read calls f with the little-endian elements in row-major order. f must not
// keep them: they may lie in the file.
func (t Tensor) read(f func(raw []byte) error) error {
	return t.use(func(storage []byte) error {
		size, n := t.DType.Size(), t.Elements()
		if t.rowMajor() {
			return f(storage[t.offset*size : (t.offset+n)*size])
		}
		raw := make([]byte, n*size)
		dtype.Gather(raw, storage, size, t.Shape, t.stride, t.offset)
		return f(raw)
	})
}
