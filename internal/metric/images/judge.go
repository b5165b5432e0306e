package images

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Judge is a classifier of images as a measure of others. It implements [Embedder] by the means of
// its last layer, and [Distance] as LPIPS does with weights of one: the squared
// difference of the normalised activations of a pixel, in the mean over the pixels of
// each of its four layers, summed over layers. It is safe for concurrent use.
type Judge struct {
	trunk *nn.Stages
	// lo and hi are the range of the pixels that the classifier was trained on.
	lo, hi float64
}

// NewJudge returns a judge that was trained on pixels from lo to hi.
func NewJudge(net *nn.Classifier, lo, hi float64) *Judge {
	return &Judge{trunk: net.Stages(), lo: lo, hi: hi}
}

// Embed implements [Embedder].
func (j *Judge) Embed(ctx context.Context, x tensor.Batch) ([][]float64, error) {
	out := make([][]float64, x.N)
	err := j.each(ctx, x, func(i int, layers []tensor.Batch, k int) {
		last := layers[len(layers)-1]
		pixels := last.Shape[1] * last.Shape[2]
		out[i] = make([]float64, last.Shape[0])
		for at, v := range last.Sample(k) {
			out[i][at/pixels] += float64(v) / float64(pixels)
		}
	})
	return out, err
}

// Distances implements [Distance].
func (j *Judge) Distances(ctx context.Context, a, b tensor.Batch, pairs [][2]int) ([]float64, error) {
	x, err := j.directions(ctx, a)
	if err != nil {
		return nil, err
	}
	y, err := j.directions(ctx, b)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(pairs))
	for k, p := range pairs {
		for at, v := range x[p[0]] {
			d := float64(v) - float64(y[p[1]][at])
			out[k] += d * d
		}
	}
	return out, nil
}

// directions returns the activations of every image, normalised at every pixel and
// scaled so that the squared distance of two images is that of the judge.
func (j *Judge) directions(ctx context.Context, x tensor.Batch) ([][]float32, error) {
	out := make([][]float32, x.N)
	err := j.each(ctx, x, func(i int, layers []tensor.Batch, k int) {
		for _, l := range layers {
			out[i] = appendDirections(out[i], l.Sample(k), l.Shape[1]*l.Shape[2])
		}
	})
	return out, err
}

// directionFloor is added to the length of a pixel's activations. Source: LPIPS.
const directionFloor = 1e-10

// appendDirections appends what channels of pixels are, each pixel divided by its length
// and by the root of the number of pixels.
func appendDirections(dst, x []float32, pixels int) []float32 {
	lengths := make([]float64, pixels)
	for at, v := range x {
		lengths[at%pixels] += float64(v) * float64(v)
	}
	for p, l := range lengths {
		lengths[p] = 1 / ((math.Sqrt(l) + directionFloor) * math.Sqrt(float64(pixels)))
	}
	for at, v := range x {
		dst = append(dst, float32(float64(v)*lengths[at%pixels]))
	}
	return dst
}

// each calls f for every image i with a part of the activations, in which it is k.
func (j *Judge) each(ctx context.Context, x tensor.Batch, f func(i int, layers []tensor.Batch, k int)) error {
	shapes, err := j.trunk.Shapes(x.Shape)
	if err != nil {
		return err
	}
	return inParts(x.N, func(lo, hi int) error {
		layers := make([]tensor.Batch, len(shapes))
		for i, s := range shapes {
			layers[i] = tensor.New(hi-lo, s...)
		}
		if err := j.trunk.Apply(ctx, layers, j.ranged(x.Rows(lo, hi))); err != nil {
			return err
		}
		for k := range hi - lo {
			f(lo+k, layers, k)
		}
		return nil
	})
}

// ranged returns images in the range of the classifier.
func (j *Judge) ranged(x tensor.Batch) tensor.Batch {
	out := x.Clone()
	for i, v := range out.Data {
		out.Data[i] = float32(j.lo + (j.hi-j.lo)*float64(v))
	}
	return out
}
