package pair

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Exemplar is an image that a hull is spanned by.
type Exemplar struct {
	Name    string // of its file, or empty
	Picture *dataset.Picture
}

// MaxExemplars is how many exemplars a hull may have: many times the published six. The
// projection looks at all their inner products.
const MaxExemplars = 64

// flat is the distance of an exemplar from the affine hull of the others, relative to
// the longest exemplar, below which a hull is taken for singular.
const flat = 1e-6

// checkExemplars returns an [ExemplarError] for pictures that cannot span a hull.
func checkExemplars(member string, all []Exemplar) error {
	switch {
	case len(all) < 2:
		return &ExemplarError{Member: member, Exemplar: -1, Reason: fmt.Sprintf("are %d, want 2 to %d: the hull of one image is that image", len(all), MaxExemplars)}
	case len(all) > MaxExemplars:
		return &ExemplarError{Member: member, Exemplar: -1, Reason: fmt.Sprintf("are %d, want 2 to %d", len(all), MaxExemplars)}
	}
	first := all[0].Picture
	for i, e := range all {
		if e.Picture.Width != first.Width || e.Picture.Height != first.Height {
			return &ExemplarError{Member: member, Exemplar: i, Name: e.Name,
				Reason: fmt.Sprintf("has %d x %d pixels, the first %d x %d: want one size", e.Picture.Width, e.Picture.Height, first.Width, first.Height)}
		}
	}
	return nil
}

// encode returns the scaled latents of exemplars, brought to the size of the model.
// Their posteriors are sampled if sample is true, with noise of their own.
func encode(ctx context.Context, m *Model, all []Exemplar, height, width int, sample bool, field noise.Field) (tensor.Batch, error) {
	images := tensor.New(len(all), 3, height, width)
	for k, e := range all {
		e.Picture.Resize(width, height).Unit(images.Sample(k))
	}
	var draws []float32
	if sample {
		shape, err := m.Codec.Latent(height, width)
		if err != nil {
			return tensor.Batch{}, err
		}
		draws = latent.PosteriorNoise(field, images.N, shape)
	}
	return m.Codec.Encode(ctx, images, draws, nil)
}

// checkSpan returns an [ExemplarError] for latents whose hull is singular: one that
// lies in the affine hull of those before it, so that weights are not unique.
func checkSpan(member string, all []Exemplar, latents tensor.Batch) error {
	size := 0.0
	for _, v := range latents.Data {
		size = max(size, math.Abs(float64(v)))
	}
	tolerance := flat * size * math.Sqrt(float64(latents.Size()))
	var basis [][]float64
	for i := 1; i < latents.N; i++ {
		rest := make([]float64, latents.Size())
		for k, v := range latents.Sample(i) {
			rest[k] = float64(v) - float64(latents.Sample(0)[k])
		}
		if !(orthogonalise(rest, basis) > tolerance) {
			return &ExemplarError{Member: member, Exemplar: i, Name: all[i].Name, Reason: singular(latents, i)}
		}
		basis = append(basis, rest)
	}
	return nil
}

// singular says why an exemplar adds nothing to those before it.
func singular(latents tensor.Batch, i int) string {
	for j := range i {
		same := true
		for k, v := range latents.Sample(i) {
			same = same && v == latents.Sample(j)[k]
		}
		if same {
			return fmt.Sprintf("is the same image as exemplar %d: want different ones", j+1)
		}
	}
	return "is a mixture of those before it in latent space: leave it out"
}

// orthogonalise removes the directions of a basis from x, twice, scales the rest to
// length 1 and returns its length before.
func orthogonalise(x []float64, basis [][]float64) float64 {
	for range 2 {
		for _, b := range basis {
			dot := inner(x, b)
			for k := range x {
				x[k] -= dot * b[k]
			}
		}
	}
	length := math.Sqrt(inner(x, x))
	for k := range x {
		x[k] /= length
	}
	return length
}

func inner(x, y []float64) (sum float64) {
	for k := range x {
		sum += x[k] * y[k]
	}
	return sum
}
