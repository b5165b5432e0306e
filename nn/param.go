package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Param is a named tensor of a network, with the name, the axes and the order of
// elements of the PyTorch state dict of the published implementation.
//
// Whoever writes Data calls Refresh of the network afterwards.
type Param struct {
	Name  string
	Shape tensor.Shape
	Data  []float32
	Grad  []float32 // gradient of the loss; nil until [NewTraining]

	kept  kernel.Tensor // values as a file has them, when there are no Data
	keeps bool          // kept values can be used
	fill  float32       // initial value, when bound is 0
	bound float64       // half width of the initial uniform distribution
	fresh bool          // Grad holds nothing yet: the next backward pass sets it
}

// packer is a layer whose weights are packed for the products of a pass.
type packer interface {
	refreshForward()
	refreshBackward()
	backwardSize() int // elements that refreshBackward makes room for
}

// params collects the parameters of a network in the order of the state dict.
type params struct {
	list    []*Param
	layers  []packer
	lazy    bool     // parameters get memory when they get values
	buffers []*Param // values that follow a training without gradients
	packs   bool     // weights of products are packed once: the samples of its calls are shared out
	dry     bool     // names and shapes only: nothing is allocated for their elements
}

func (p *params) add(name string, fill float32, bound float64, shape ...int) *Param {
	q := &Param{Name: name, Shape: shape, fill: fill, bound: bound}
	if !p.lazy && !p.dry {
		q.allocate()
		q.reset()
	}
	p.list = append(p.list, q)
	return q
}

// allocate makes memory for the values.
func (p *Param) allocate() {
	if p.Data == nil {
		p.Data = make([]float32, p.Shape.Size())
	}
}

func (p *Param) reset() {
	for i := range p.Data {
		p.Data[i] = p.fill
	}
}

// buffer adds values that belong to the state dict and have no gradient.
func (p *params) buffer(name string, fill float32, shape ...int) *Param {
	q := &Param{Name: name, Shape: shape, fill: fill}
	if !p.lazy && !p.dry {
		q.allocate()
		q.reset()
	}
	p.buffers = append(p.buffers, q)
	return q
}

// initBlock is how many elements share a sample number of the random field.
const initBlock = 1 << 14

// initialise draws the parameters as PyTorch does by default: weights and biases
// of convolutions and linear maps uniformly in ±1/√fan-in (Kaiming uniform with
// a = √5), weights of normalisations 1, their biases 0.
func (p *params) initialise(f noise.Field) {
	block := make([]float64, initBlock)
	for _, q := range p.buffers {
		q.allocate()
		q.reset()
	}
	for i, q := range p.list {
		q.allocate()
		if q.bound == 0 {
			q.reset()
			continue
		}
		for lo := 0; lo < len(q.Data); lo += initBlock {
			u := block[:min(initBlock, len(q.Data)-lo)]
			f.Uniform(u, noise.Address{Variable: i, Sample: lo / initBlock})
			for j, v := range u {
				q.Data[lo+j] = float32((2*v - 1) * q.bound)
			}
		}
	}
}

// count returns the number of elements of all parameters.
func (p *params) count() int {
	n := 0
	for _, q := range p.list {
		n += q.Shape.Size()
	}
	return n
}

// bound returns 1/√fan-in.
func bound(fanIn int) float64 { return 1 / math.Sqrt(float64(fanIn)) }

// tensor returns the values where they lie.
func (p *Param) tensor() kernel.Tensor {
	if p.Data == nil {
		return p.kept
	}
	return kernel.Tensor{Floats: p.Data}
}

// values returns the values of a parameter that may not be there.
func (p *Param) values() []float32 {
	if p == nil {
		return nil
	}
	return p.Data
}

// gradient returns the gradient of a parameter that may not be there.
func (p *Param) gradient() []float32 {
	if p == nil {
		return nil
	}
	return p.Grad
}
