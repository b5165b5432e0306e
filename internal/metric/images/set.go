package images

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Embedder sees an image as a vector.
type Embedder interface {
	// Embed returns a vector for every image of x.
	Embed(ctx context.Context, x tensor.Batch) ([][]float64, error)
}

// Distance says how different images look.
type Distance interface {
	// Distances returns the distance of a[i] and b[j] for every pair (i, j).
	Distances(ctx context.Context, a, b tensor.Batch, pairs [][2]int) ([]float64, error)
}

// Set is what sets of images are measured with.
type Set struct {
	Similarity Embedder // by the cosine of vectors
	Distance   Distance
	Frechet    Embedder // by the moments of vectors
}

// Measures are those of a set of samples against exemplars.
type Measures struct {
	Similarity []float64 // of every sample: the mean of its cosines with the exemplars
	Distance   []float64 // of every sample: the least of its distances to an exemplar
	Diversity  []float64 // of every pair of samples: their distance, pairs as in Pairs
	Frechet    float64   // between both sets
}

// Measure measures samples against exemplars as published: similarity by the mean over
// exemplars, distance by the least, diversity over all pairs of samples.
//
// Source: the published evaluation of image pairs.
func (s Set) Measure(ctx context.Context, samples, exemplars tensor.Batch) (m Measures, err error) {
	if m.Similarity, err = s.similarities(ctx, samples, exemplars); err != nil {
		return m, err
	}
	if m.Distance, err = s.distances(ctx, samples, exemplars); err != nil {
		return m, err
	}
	if m.Diversity, err = s.Distance.Distances(ctx, samples, samples, Pairs(samples.N)); err != nil {
		return m, err
	}
	m.Frechet, err = s.frechet(ctx, samples, exemplars)
	return m, err
}

func (s Set) similarities(ctx context.Context, samples, exemplars tensor.Batch) ([]float64, error) {
	a, err := s.Similarity.Embed(ctx, samples)
	if err != nil {
		return nil, err
	}
	b, err := s.Similarity.Embed(ctx, exemplars)
	if err != nil {
		return nil, err
	}
	return reduced(samples.N, exemplars.N, Mean, func(i, j int) float64 { return cosine(a[i], b[j]) })
}

func (s Set) distances(ctx context.Context, samples, exemplars tensor.Batch) ([]float64, error) {
	all, err := s.Distance.Distances(ctx, samples, exemplars, product(samples.N, exemplars.N))
	if err != nil {
		return nil, err
	}
	return reduced(samples.N, exemplars.N, Least, func(i, j int) float64 { return all[i*exemplars.N+j] })
}

func (s Set) frechet(ctx context.Context, samples, exemplars tensor.Batch) (float64, error) {
	a, err := s.Frechet.Embed(ctx, samples)
	if err != nil {
		return 0, err
	}
	b, err := s.Frechet.Embed(ctx, exemplars)
	if err != nil {
		return 0, err
	}
	return Frechet(b, a)
}

// reduced makes one number of the measures of each of n samples against m exemplars.
func reduced(n, m int, by Reduction, measure func(i, j int) float64) ([]float64, error) {
	out, row := make([]float64, n), make([]float64, m)
	for i := range out {
		for j := range row {
			row[j] = measure(i, j)
		}
		var err error
		if out[i], err = by.Of(row, 1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// product lists the pairs of n and m things, those of the first one first.
func product(n, m int) (pairs [][2]int) {
	for i := range n {
		for j := range m {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// cosine returns that of the angle between two vectors; 0 for a vector of zeros.
func cosine(a, b []float64) float64 {
	dot, na, nb := 0.0, 0.0, 0.0
	for i, v := range a {
		dot, na, nb = dot+v*b[i], na+v*v, nb+b[i]*b[i]
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return dot / math.Sqrt(na*nb)
}

// together is how many images or pairs pass a network at a time.
const together = 8

// inParts calls f for parts of n things.
func inParts(n int, f func(lo, hi int) error) error {
	for lo := 0; lo < n; lo += together {
		if err := f(lo, min(lo+together, n)); err != nil {
			return err
		}
	}
	return nil
}

// vectors returns the samples of a batch as vectors.
func vectors(b tensor.Batch) [][]float64 {
	out := make([][]float64, b.N)
	for i := range out {
		out[i] = make([]float64, b.Size())
		for j, v := range b.Sample(i) {
			out[i][j] = float64(v)
		}
	}
	return out
}
