package modelfile

import (
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Parameters are what a network is filled with, whatever computes it.
type Parameters interface {
	// Params returns the parameters in the order of the state dict.
	Params() []*nn.Param
	// Refresh is called after their data have changed.
	Refresh()
}

// Denoiser is a model with parameters.
type Denoiser interface {
	denoise.Denoiser
	Parameters
}

// Conditional is a network that is told something of every sample, with parameters.
type Conditional interface {
	Parameters
	// Shape returns the shape of a sample.
	Shape() tensor.Shape
	// Bind returns the network as a model with a condition for every sample: the
	// sample with number s uses row s - condition.First.
	Bind(condition tensor.Batch) (denoise.VJPer, error)
}

// FromNN returns a conditional network of package nn as one that a model runs on.
func FromNN(net *nn.ConditionalUNet1D) Conditional { return conditional{net} }

// conditional binds to an interface instead of a type of package nn.
type conditional struct{ *nn.ConditionalUNet1D }

func (c conditional) Bind(condition tensor.Batch) (denoise.VJPer, error) {
	bound, err := c.ConditionalUNet1D.Bind(condition)
	if err != nil {
		return nil, err // not a nil pointer in an interface
	}
	return bound, nil
}
