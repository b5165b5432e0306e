package pcd

import (
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Condition fixes consecutive elements of every sample of a variable.
type Condition struct {
	Offset int // first element, row-major within the sample
	// Values are the elements to write: one row for all samples, or one row per
	// sample number.
	Values tensor.Batch
	// Window says after which steps the values are written; the initial state
	// counts as step Steps(). The zero value writes them always.
	Window Window
}

// Write writes the values to states after step i, unless it lies outside the window.
func (c Condition) Write(x tensor.Batch, i int) {
	if !c.Window.Contains(i) {
		return
	}
	for r := range x.N {
		copy(x.Sample(r)[c.Offset:], rowOf(c.Values, x.First+r))
	}
}

// condition writes the conditions in force after step i.
func (v Variable) condition(x tensor.Batch, i int) {
	for _, c := range v.Conditions {
		c.Write(x, i)
	}
}

// check returns an error unless the condition fits samples [first, first+n) of a
// shape.
func (c Condition) check(shape tensor.Shape, first, n int) error {
	if n := c.Values.Size(); c.Offset < 0 || c.Offset > shape.Size()-n {
		return fmt.Errorf("elements %d to %d lie outside the shape %v", c.Offset, c.Offset+n-1, shape)
	}
	return checkValues(c.Values, c.Values.Size(), first, n)
}

// rowOf returns the row for a sample number: the only one, or its own.
func rowOf(b tensor.Batch, sample int) []float32 {
	if b.N == 1 {
		return b.Sample(0)
	}
	return b.Sample(sample - b.First)
}

// checkValues returns an error unless b is finite and has size elements for the
// samples [first, first+n).
func checkValues(b tensor.Batch, size, first, n int) error {
	if b.Size() != size {
		return fmt.Errorf("given values have shape %v (%d elements), want %d elements", b.Shape, b.Size(), size)
	}
	if len(b.Data) != b.N*size {
		return fmt.Errorf("given values hold %d elements, want %d for %d rows", len(b.Data), b.N*size, b.N)
	}
	if b.N != 1 && (first < b.First || first+n > b.First+b.N) {
		return fmt.Errorf("given values cover the samples %d to %d, want one row, or %d to %d", b.First, b.First+b.N-1, first, first+n-1)
	}
	return b.CheckFinite()
}
