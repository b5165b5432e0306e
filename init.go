package pcd

import (
	"fmt"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Init is the state of a variable before the first step.
type Init interface {
	// fill writes the initial state of the samples that dst holds.
	fill(dst tensor.Batch, variable int, src noise.Source)
	// check returns an error when the state cannot be given to the samples
	// [first, first+n) of a shape.
	check(shape tensor.Shape, first, n int) error
}

// Normal is an initial state of independent normals with one mean and one
// standard deviation.
type Normal struct {
	Mean float64
	Std  float64 // positive
}

func (g Normal) fill(dst tensor.Batch, variable int, src noise.Source) {
	src.Normal(dst.Data, dst.Size(), noise.Address{Variable: variable, Sample: dst.First})
	if g == (Normal{Std: 1}) {
		return
	}
	mean, std := float32(g.Mean), float32(g.Std)
	for i, z := range dst.Data {
		dst.Data[i] = mean + std*z
	}
}

func (g Normal) check(tensor.Shape, int, int) error {
	if !(g.Std > 0) || g.Std-g.Std != 0 || g.Mean-g.Mean != 0 {
		return fmt.Errorf("normal initial state with mean %v and deviation %v, want finite numbers and a positive deviation", g.Mean, g.Std)
	}
	return nil
}

// Values is an initial state that is given: one row for all samples, or one row
// per sample number.
type Values tensor.Batch

func (v Values) fill(dst tensor.Batch, _ int, _ noise.Source) {
	for r := range dst.N {
		copy(dst.Sample(r), rowOf(tensor.Batch(v), dst.First+r))
	}
}

func (v Values) check(shape tensor.Shape, first, n int) error {
	return checkValues(tensor.Batch(v), shape.Size(), first, n)
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
