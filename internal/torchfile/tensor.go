package torchfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/pickle"
)

// maxRank is the number of axes a tensor may have.
const maxRank = 16

// Tensor is a view of a storage. Strides and offset count elements.
type Tensor struct {
	Name    string
	Shape   []int
	Stride  []int
	Offset  int
	Storage *Storage
}

// newTensor checks the arguments of _rebuild_tensor_v2: storage, offset, size,
// stride, requires_grad, backward_hooks and, in newer files, metadata.
func newTensor(args []pickle.Value) (*Tensor, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("%d arguments, want storage, offset, size and stride", len(args))
	}
	s, ok1 := args[0].(*Storage)
	offset, ok2 := args[1].(int64)
	shape, ok3 := ints(args[2])
	stride, ok4 := ints(args[3])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, errors.New("an argument has the wrong type")
	}
	if len(shape) != len(stride) || len(shape) > maxRank {
		return nil, fmt.Errorf("%d axes and %d strides, want the same number, at most %d", len(shape), len(stride), maxRank)
	}
	n, ok := dtype.Elements(shape, s.Elements)
	if !ok {
		return nil, fmt.Errorf("shape %v does not fit its storage of %d elements (an expanded tensor needs .contiguous() before it is saved)", shape, s.Elements)
	}
	if !inBounds(shape, stride, offset, s.Elements, n) {
		return nil, fmt.Errorf("shape %v, strides %v, offset %d reach outside the storage of %d elements", shape, stride, offset, s.Elements)
	}
	return &Tensor{Shape: shape, Stride: stride, Offset: int(offset), Storage: s}, nil
}

// inBounds reports whether every element of a view lies in its storage.
func inBounds(shape, stride []int, offset, elements, n int64) bool {
	if offset < 0 || offset > elements {
		return false
	}
	last := offset
	for i, d := range shape {
		if stride[i] < 0 {
			return false
		}
		if n == 0 || d == 1 {
			continue
		}
		steps := int64(d - 1)
		if int64(stride[i]) > (elements-last)/steps {
			return false
		}
		last += int64(stride[i]) * steps
	}
	return n == 0 || last < elements
}

// ints returns a tuple of integers, each between 0 and the largest int.
func ints(v pickle.Value) ([]int, bool) {
	t, ok := v.(*pickle.Tuple)
	if !ok {
		return nil, false
	}
	out := make([]int, len(t.Items))
	for i, item := range t.Items {
		n, ok := item.(int64)
		if !ok || n < 0 || n > math.MaxInt {
			return nil, false
		}
		out[i] = int(n)
	}
	return out, true
}
