package nn

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// Map is a network without a timestep, from one array per sample to another: an encoder,
// a decoder, a classifier. Images are [channels, height, width], of any size that the
// network takes.
type Map struct {
	engine
	name  string
	shape func(in tensor.Shape) (out tensor.Shape, size extent, err error)
}

// Output returns the shape of what comes out for a shape that goes in, or a [ShapeError].
func (m *Map) Output(in tensor.Shape) (tensor.Shape, error) {
	out, _, err := m.shape(in)
	return slices.Clone(out), err // networks keep theirs
}

// ShapeError says that a network does not take samples of a shape.
type ShapeError struct {
	Network string
	Got     tensor.Shape
	Want    string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("nn: %s: samples of shape %v, want %s", e.Network, e.Got, e.Want)
}

// imagesOf returns the shape function of a network of images of some channels whose sides
// are multiples of step: out gives the shape of the result.
func imagesOf(network string, channels, step int, out func(height, width int) tensor.Shape) func(tensor.Shape) (tensor.Shape, extent, error) {
	return func(in tensor.Shape) (tensor.Shape, extent, error) {
		if len(in) != 3 || in[0] != channels || min(in[1], in[2]) < step || in[1]%step != 0 || in[2]%step != 0 {
			return nil, extent{}, &ShapeError{network, in, fmt.Sprintf("[%d height width] with positive multiples of %d", channels, step)}
		}
		return out(in[1], in[2]), extent{height: in[1], width: in[2]}, nil
	}
}

// bind checks the shape of the samples and returns the arrays of a call.
func (m *Map) bind(x tensor.Batch) (bindings, tensor.Shape, error) {
	out, size, err := m.shape(x.Shape)
	b := bindings{samples: x.N, size: size}
	b.in[0] = x.Data
	return b, out, err
}

// Apply writes what comes out for every sample of x to dst. It returns a [ShapeError] for
// samples that the network does not take, and panics when dst does not fit them.
func (m *Map) Apply(ctx context.Context, dst, x tensor.Batch) error {
	b, out, err := m.bind(x)
	if err != nil {
		return err
	}
	mustFit(x.N, out, dst)
	b.out[0] = dst.Data
	return m.run(ctx, predicting, 0, b)
}

// VJP writes the product of every cotangent of what comes out with the Jacobian at its
// sample to dst, which has the shape of x.
func (m *Map) VJP(ctx context.Context, dst, x, cotangent tensor.Batch) error {
	b, out, err := m.bind(x)
	if err != nil {
		return err
	}
	mustFit(x.N, out, cotangent)
	mustFit(x.N, x.Shape, dst)
	b.dOut[0], b.dIn[0] = cotangent.Data, dst.Data
	return m.run(ctx, differentiating, 0, b)
}

// Linearize is Apply that also returns the pullback at x, to be used once or released.
func (m *Map) Linearize(ctx context.Context, dst, x tensor.Batch) (denoise.Pullback, error) {
	b, out, err := m.bind(x)
	if err != nil {
		return nil, err
	}
	mustFit(x.N, out, dst)
	b.out[0] = dst.Data
	return m.linearize(ctx, 0, b, x.Shape, out)
}

// MultiplyAdds returns how many multiplications a sample of a shape takes by the
// definition of the layers.
func (m *Map) MultiplyAdds(in tensor.Shape) (int, error) {
	_, size, err := m.shape(in)
	if err != nil {
		return 0, err
	}
	nominal, _ := m.multiplyAdds(size)
	return nominal, nil
}

// NewTraining returns memory for training steps of up to batch samples of a shape, and
// gives the parameters their gradients. Batch normalisations use the statistics of the
// batch, and follow them, unless they are frozen.
func (m *Map) NewTraining(batch int, in tensor.Shape, frozen bool) (*Training, error) {
	out, size, err := m.shape(in)
	if err != nil {
		return nil, err
	}
	size.moving = !frozen && m.params.buffers != nil
	return m.newTraining(batch, size, in, out), nil
}
