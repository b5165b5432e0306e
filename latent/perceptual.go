package latent

import (
	"context"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// perceptual is the learned perceptual distance of two pictures of [-1, 1], which
// SyncDiffusion makes small: a cost of pictures, see [pictured].
type perceptual struct{ Net *nn.LPIPS }

// stages is how many parts the distance has.
const stages = 5

// Add implements [cost.Cost].
func (c perceptual) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	size, shape := x[0].Size(), x[0].Shape
	pairs := tensor.New(x[0].N, append([]int{2}, shape...)...)
	for k := range pairs.N {
		copy(pairs.Sample(k)[copy(pairs.Sample(k), x[0].Sample(k)):], x[1].Sample(k))
	}
	parts := tensor.New(pairs.N, stages)
	back, err := c.Net.Linearize(ctx, parts, pairs)
	if err != nil {
		return err
	}
	defer back.Release()
	for k := range value {
		for _, v := range parts.Sample(k) {
			value[k] += weight * float64(v)
		}
	}
	if grad == nil {
		return nil
	}
	for i := range parts.Data {
		parts.Data[i] = float32(weight)
	}
	slopes := tensor.New(pairs.N, pairs.Shape...)
	if err := back.VJP(ctx, slopes, parts); err != nil {
		return err
	}
	for k := range pairs.N {
		for i, g := range grad {
			for j, v := range slopes.Sample(k)[i*size : (i+1)*size] {
				g.Sample(k)[j] += v
			}
		}
	}
	return nil
}

// Check implements [cost.Cost].
func (c perceptual) Check(shapes []tensor.Shape) error {
	if len(shapes) != 2 || !shapes[0].Equal(shapes[1]) {
		return &cost.ShapeError{Cost: "perceptual distance", Shapes: shapes, Want: "two pictures of one size"}
	}
	_, err := c.Net.Output(append(tensor.Shape{2}, shapes[0]...))
	return err
}

// Symmetric implements [cost.Symmetric].
func (c perceptual) Symmetric() bool { return true }
