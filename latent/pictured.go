package latent

import (
	"context"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/tensor"
)

// pictured is a cost of latents that looks at the pictures they decode to: [3, height,
// width], clamped to [-1, 1]. Its gradient goes through the decoder, and not through
// numbers beyond the clamp, those of no picture.
type pictured struct {
	Codec Codec
	Cost  cost.Cost // of the pictures
}

// Add implements [cost.Cost]. It decodes a few tuples at a time: see [Codec].
func (c pictured) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	return c.Codec.inChunks(x[0].N, nil, func(lo, hi int) error {
		var v []float64
		if value != nil {
			v = value[lo:hi]
		}
		var g []tensor.Batch
		if grad != nil {
			g = rowsOf(grad, lo, hi)
		}
		return c.add(ctx, v, g, rowsOf(x, lo, hi), weight)
	})
}

func rowsOf(all []tensor.Batch, lo, hi int) []tensor.Batch {
	out := make([]tensor.Batch, len(all))
	for i, b := range all {
		out[i] = b.Rows(lo, hi)
	}
	return out
}

func (c pictured) add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	if grad == nil {
		net, _ := c.Codec.decoder()
		pictures, err := c.pictures(x, func(i int, dst, z tensor.Batch) error { return net.Apply(ctx, dst, z) })
		if err != nil {
			return err
		}
		clampAll(pictures)
		return c.Cost.Add(ctx, value, nil, pictures, weight)
	}
	back := make([]denoise.Pullback, len(x))
	defer release(back)
	pictures, err := c.pictures(x, func(i int, dst, z tensor.Batch) (err error) {
		net, _ := c.Codec.decoder()
		back[i], err = net.Linearize(ctx, dst, z)
		return err
	})
	if err != nil {
		return err
	}
	outside := clampAll(pictures)
	slopes := make([]tensor.Batch, len(pictures))
	for i, p := range pictures {
		slopes[i] = like(p)
	}
	if err := c.Cost.Add(ctx, value, slopes, pictures, weight); err != nil {
		return err
	}
	for i, s := range slopes {
		for _, j := range outside[i] {
			s.Data[j] = 0
		}
		if err := c.pull(ctx, grad[i], s, back[i]); err != nil {
			return err
		}
	}
	return nil
}

// pictures decodes the arguments.
func (c pictured) pictures(x []tensor.Batch, decode func(i int, dst, z tensor.Batch) error) ([]tensor.Batch, error) {
	out := make([]tensor.Batch, len(x))
	for i, b := range x {
		net, scale := c.Codec.decoder()
		shape, err := net.Output(b.Shape)
		if err != nil {
			return nil, err
		}
		z := b.Clone()
		rescale(z, 1/scale)
		out[i] = tensor.New(b.N, shape...)
		out[i].First = b.First
		if err := decode(i, out[i], z); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// pull adds the gradient with respect to latents that belongs to one with respect to
// their pictures. One of zeros, as at an anchor, is not pulled back.
func (c pictured) pull(ctx context.Context, grad, slope tensor.Batch, back denoise.Pullback) error {
	if isZero(slope) {
		return nil
	}
	part := like(grad)
	if err := back.VJP(ctx, part, slope); err != nil {
		return err
	}
	_, scale := c.Codec.decoder()
	factor := 1 / scale
	for j, v := range part.Data {
		grad.Data[j] += float32(factor * float64(v))
	}
	return nil
}

// release gives back what was kept and not used.
func release(back []denoise.Pullback) {
	for _, b := range back {
		if b != nil {
			b.Release()
		}
	}
}

// clampAll limits pictures to [-1, 1] and returns, for each batch, which numbers were
// outside.
func clampAll(pictures []tensor.Batch) (outside [][]int) {
	for _, p := range pictures {
		var list []int
		for j, v := range p.Data {
			if v < -1 || v > 1 {
				p.Data[j] = min(max(v, -1), 1)
				list = append(list, j)
			}
		}
		outside = append(outside, list)
	}
	return outside
}

// Check implements [cost.Cost].
func (c pictured) Check(shapes []tensor.Shape) error {
	pictures := make([]tensor.Shape, len(shapes))
	net, _ := c.Codec.decoder()
	for i, s := range shapes {
		var err error
		if pictures[i], err = net.Output(s); err != nil {
			return err
		}
	}
	return c.Cost.Check(pictures)
}

// Symmetric implements [cost.Symmetric].
func (c pictured) Symmetric() bool {
	s, ok := c.Cost.(cost.Symmetric)
	return ok && s.Symmetric()
}
