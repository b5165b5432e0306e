package tensor

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Shape is the shape of one sample, without the batch axis: {64, 4} is a path of
// 64 waypoints with 4 channels, {1} a number.
type Shape []int

// Size returns the number of elements of a sample; the empty shape has size 1.
func (s Shape) Size() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether two shapes have the same axes.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// String formats the shape as [64 4].
func (s Shape) String() string {
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// Check returns an error when an axis is not positive, or the number of elements is no int.
func (s Shape) Check() error {
	size := 1
	for i, d := range s {
		if d <= 0 {
			return fmt.Errorf("tensor: shape %v: axis %d is %d, want at least 1", s, i, d)
		}
		if size > math.MaxInt/d {
			return fmt.Errorf("tensor: shape %v: the number of elements overflows", s)
		}
		size *= d
	}
	return nil
}
