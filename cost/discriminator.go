package cost

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// Discriminator gives the probability D that a tuple was drawn jointly rather
// than one by one. It must be safe for concurrent use.
type Discriminator interface {
	// Probability writes D of every tuple to value and, when grad is not nil, its
	// gradient with respect to x[i] to grad[i].
	Probability(ctx context.Context, value []float64, grad, x []tensor.Batch) error
	// Vars returns the number of variables.
	Vars() int
}

// DensityRatio is the cost -ln D/(1-D), with which joint diffusion by a
// discriminator is a special case of coupling. D is kept within
// [1e-12, 1-1e-12]; outside, the gradient is 0.
type DensityRatio struct{ Discriminator Discriminator }

// Add implements [Cost].
func (c DensityRatio) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	d := make([]float64, x[0].N)
	var slopes []tensor.Batch
	if grad != nil {
		for _, b := range x {
			s := tensor.New(b.N, b.Shape...)
			s.First = b.First
			slopes = append(slopes, s)
		}
	}
	if err := c.Discriminator.Probability(ctx, d, slopes, x); err != nil {
		return err
	}
	for k, p := range d {
		inside := min(max(p, smallestProbability), 1-smallestProbability)
		if value != nil {
			value[k] -= weight * math.Log(inside/(1-inside))
		}
		if inside != p {
			continue
		}
		w := -weight / (p * (1 - p))
		for i := range slopes {
			g := grad[i].Sample(k)
			for j, s := range slopes[i].Sample(k) {
				g[j] += float32(w * float64(s))
			}
		}
	}
	return nil
}

// Check implements [Cost].
func (c DensityRatio) Check(shapes []tensor.Shape) error {
	const name = "density ratio"
	if c.Discriminator == nil {
		return &parameterError{Cost: name, Name: "Discriminator", Want: "a discriminator"}
	}
	return checkArity(name, shapes, c.Discriminator.Vars())
}
