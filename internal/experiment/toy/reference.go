package toy

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/noise"
)

// The two published methods below are written out by themselves, with none of
// the sampler's code, so that comparing them with their forms as special cases
// says something.

// guided draws big blocks by classifier guidance: Langevin dynamics of the prior
// with the gradient of the log likelihood of a small block in the middle added.
func guided(ctx context.Context, n int, seed uint64, strength float64, workers int) ([]float32, error) {
	return langevin(ctx, n, seed, workers, func(x float64) float64 {
		d := x - Middle
		r := math.Sqrt(d*d + barrierSmoothing*barrierSmoothing)
		return (Middle-x)/varianceBig + strength*d/(r*(r+barrierOffset))
	}, func(x float64) float64 { return x })
}

// projected draws big blocks by projected diffusion: Langevin dynamics of the
// prior, moved back between the walls after every step.
func projected(ctx context.Context, n int, seed uint64, workers int) ([]float32, error) {
	return langevin(ctx, n, seed, workers, func(x float64) float64 { return (Middle - x) / varianceBig },
		func(x float64) float64 { return math.Min(math.Max(x, WallLeft+HalfBig), WallRight-HalfBig) })
}

// langevin runs n chains from the prior of the big block.
func langevin(ctx context.Context, n int, seed uint64, workers int, drift, project func(float64) float64) ([]float32, error) {
	const block = 4096
	field := noise.New(seed)
	x := make([]float32, n)
	err := parallel.For(ctx, workers, (n+block-1)/block, func(_, b int) error {
		chains := x[b*block : min((b+1)*block, n)]
		z := make([]float32, len(chains))
		field.Normal(z, 1, noise.Address{Sample: b * block})
		for k, v := range z {
			chains[k] = float32(Middle + math.Sqrt(varianceBig)*float64(v))
		}
		for t := range Steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			field.Normal(z, 1, noise.Address{Sample: b * block, Draw: 1 + t})
			for k, v := range z {
				c := float64(chains[k])
				chains[k] = float32(project(c + stepSize*drift(c) + math.Sqrt(2*stepSize)*float64(v)))
			}
		}
		return nil
	})
	return x, err
}
