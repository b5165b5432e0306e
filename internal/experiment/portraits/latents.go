package portraits

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Latents are encoded portraits as examples to learn from, scaled to a standard deviation of one.
type Latents struct {
	*encoded.Latents
	photos Photos
}

// Progress is called as portraits are encoded; it may be nil.
type Progress func(done, total int)

// shard is how many latents a file holds, and chunk how many portraits are looked at at once.
const (
	shard = 1024
	chunk = 16
)

// encode returns the latents of an album, times a scale. They are kept in the folder latents
// under dir.
func encode(ctx context.Context, dir string, net *nn.AutoencoderKL, scale float64, p Photos, progress Progress) (*Latents, error) {
	l, err := encoded.Encoder{Net: net, Scale: scale, Dir: filepath.Join(dir, "latents"), Shard: shard, Progress: progress}.Encode(ctx, p)
	return &Latents{l, p}, err
}

// scaled is how many portraits the standard deviation of latents is measured on.
const scaled = 256

// scaleOf returns the factor that makes the standard deviation of latents one, measured
// on portraits that the autoencoder learned from.
func scaleOf(ctx context.Context, net *nn.AutoencoderKL, size int) (float64, error) {
	r := DefaultRecipe(Autoencoder)
	r.Size = size
	shape, err := latent.Codec{Net: net}.Latent(size, size)
	if err != nil {
		return 0, err
	}
	z := tensor.New(scaled, shape...)
	if err := (encoded.Encoder{Net: net}).Into(ctx, r.photos(), 0, z); err != nil {
		return 0, err
	}
	sum, squares := 0.0, 0.0
	for _, v := range z.Data {
		sum, squares = sum+float64(v), squares+float64(v)*float64(v)
	}
	n := float64(len(z.Data))
	deviation := math.Sqrt(squares/n - sum/n*sum/n)
	if !(deviation > 0) {
		return 0, fmt.Errorf("images: the latents of %d portraits are all the same: the autoencoder has not learned anything; train it for more steps", scaled)
	}
	return 1 / deviation, nil
}
