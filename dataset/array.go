package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// Element is an element type of arrays in memory. Narrower types of a file are
// widened without loss: float16 to float32, int8, int16 and uint16 to int32,
// uint32 to int64.
type Element interface {
	float32 | float64 | int64 | int32 | uint8 | bool
}

// Array is a named array of any shape, row-major.
type Array struct {
	Name  string
	Shape []int
	Data  any // a slice of an [Element]
}

// NewArray returns an array over data, which it does not copy. It returns a
// [FormatError] when data does not fill the shape.
func NewArray[T Element](name string, shape []int, data []T) (Array, error) {
	n, ok := dtype.Elements(shape, math.MaxInt)
	if !ok || n != int64(len(data)) {
		return Array{}, &shapeError{Array: name, Got: shape, Want: fmt.Sprintf("%d elements", len(data))}
	}
	return Array{Name: name, Shape: slices.Clone(shape), Data: data}, nil
}

// Values returns the elements without copying them, or a [FormatError].
func Values[T Element](a Array) ([]T, error) {
	if v, ok := a.Data.([]T); ok {
		return v, nil
	}
	return nil, &typeError{Array: a.Name, Got: a.DType(), Want: typeOf[T]().String()}
}

// DType returns the element type.
func (a Array) DType() weights.DType {
	switch a.Data.(type) {
	case []float32:
		return dtype.F32
	case []float64:
		return dtype.F64
	case []int64:
		return dtype.I64
	case []int32:
		return dtype.I32
	case []uint8:
		return dtype.U8
	case []bool:
		return dtype.Bool
	}
	return dtype.Invalid
}

func typeOf[T Element]() weights.DType { return Array{Data: []T(nil)}.DType() }

// elements returns the number of elements.
func (a Array) elements() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Float32s returns the elements of a float32 array without copying them, or
// those of a float64 array rounded to the nearest float32.
func (a Array) Float32s() ([]float32, error) {
	switch v := a.Data.(type) {
	case []float32:
		return v, nil
	case []float64:
		out := make([]float32, len(v))
		for i, x := range v {
			out[i] = float32(x)
		}
		return out, nil
	}
	return nil, &typeError{Array: a.Name, Got: a.DType(), Want: "float32 or float64"}
}

// int64s returns the elements of an int64 array without copying them, or those
// of an int32 or uint8 array widened.
func (a Array) int64s() ([]int64, error) {
	switch v := a.Data.(type) {
	case []int64:
		return v, nil
	case []int32:
		return widen(v), nil
	case []uint8:
		return widen(v), nil
	}
	return nil, &typeError{Array: a.Name, Got: a.DType(), Want: "integers"}
}

func widen[T int32 | uint8](v []T) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// Batch returns a float array as a batch whose samples are its rows: shape
// [n, 64, 4] gives n samples of shape [64 4], shape [n] samples of shape [1].
func (a Array) Batch() (tensor.Batch, error) {
	if len(a.Shape) == 0 || slices.Contains(a.Shape, 0) {
		return tensor.Batch{}, &shapeError{Array: a.Name, Got: a.Shape, Want: "at least one row and no empty axis"}
	}
	v, err := a.Float32s()
	if err != nil {
		return tensor.Batch{}, err
	}
	row := a.Shape[1:]
	if len(row) == 0 {
		row = []int{1}
	}
	return tensor.Of(v, row...)
}
