package weights

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
)

// Reshape returns the tensor with other axes for the same elements in row-major order.
func (t Tensor) Reshape(shape ...int) (Tensor, error) {
	n, ok := dtype.Elements(shape, math.MaxInt64/8)
	if !ok || int(n) != t.Elements() || !t.rowMajor() {
		return t, &FormatError{Tensor: t.Name, Reason: fmt.Sprintf("shape %v does not become %v", t.Shape, shape)}
	}
	t.Shape, t.stride = append([]int(nil), shape...), nil
	return t, nil
}

// Rows returns the rows [lo, hi) of the first axis.
func (t Tensor) Rows(lo, hi int) (Tensor, error) {
	if len(t.Shape) == 0 || lo < 0 || hi < lo || hi > t.Shape[0] || !t.rowMajor() {
		return t, &FormatError{Tensor: t.Name, Reason: fmt.Sprintf("shape %v has no rows %d to %d", t.Shape, lo, hi)}
	}
	row := 1
	for _, d := range t.Shape[1:] {
		row *= d
	}
	t.Shape = append([]int{hi - lo}, t.Shape[1:]...)
	t.offset, t.stride = t.offset+lo*row, nil
	return t, nil
}

// Stack returns a tensor with the rows of others, one after the other. They have one element
// type, and the same axes behind the first.
func Stack(name string, parts ...Tensor) (Tensor, error) {
	if len(parts) == 0 || len(parts[0].Shape) == 0 {
		return Tensor{}, &FormatError{Tensor: name, Reason: "is to be stacked of tensors without rows"}
	}
	first := parts[0]
	out := Tensor{Name: name, Shape: slices.Clone(first.Shape), DType: first.DType}
	for _, p := range parts[1:] {
		if p.DType != first.DType || len(p.Shape) == 0 || !slices.Equal(p.Shape[1:], first.Shape[1:]) {
			return Tensor{}, &FormatError{Tensor: p.Name, Reason: fmt.Sprintf("%v of %v cannot be stacked on %v of %v", p.Shape, p.DType, first.Shape, first.DType)}
		}
		out.Shape[0] += p.Shape[0]
	}
	out.bytes = func() ([]byte, error) {
		raw := make([]byte, 0, out.Bytes())
		for _, p := range parts {
			if err := p.read(func(b []byte) error { raw = append(raw, b...); return nil }); err != nil {
				return nil, err
			}
		}
		return raw, nil
	}
	return out, nil
}
