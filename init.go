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

// initOr returns the initial state of a variable, by default the normal that a chain
// begins at.
func (v Variable) initOr(d Dynamics) Init {
	if v.Init != nil {
		return v.Init
	}
	if s, ok := d.(Starter); ok {
		return Normal{Std: s.Start()}
	}
	return Normal{Std: 1}
}
