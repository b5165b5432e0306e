package portraits

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Latents are encoded portraits as examples to learn from: the means of their
// posteriors, scaled to a standard deviation of one. They implement train.Divided and
// train.Identified.
type Latents struct {
	photos   Photos
	x        tensor.Batch
	identity string
	shape    tensor.Shape // of a condition
	tell     func(condition []float32, i int)
}

// Len returns the number of latents.
func (l *Latents) Len() int { return l.x.N }

// HeldOut returns how many of them are not learned from.
func (l *Latents) HeldOut() int { return l.photos.Held }

// Shape returns the shape of a latent.
func (l *Latents) Shape() tensor.Shape { return l.x.Shape }

// ConditionShape returns the shape of what is told about a latent.
func (l *Latents) ConditionShape() tensor.Shape { return l.shape }

// Identity says how the latents are made.
func (l *Latents) Identity() string { return l.identity }

// Example copies latent i.
func (l *Latents) Example(x, condition []float32, i int) {
	copy(x, l.x.Sample(i))
	if len(condition) > 0 {
		l.tell(condition, i)
	}
}

// Progress is called as portraits are encoded; it may be nil.
type Progress func(done, total int)

// shard is how many latents a file holds, and chunk how many portraits are drawn and
// encoded at once.
const (
	shard = 1024
	chunk = 16
)

// encoded returns the latents of an album, times a scale. They are kept in files of a
// folder under dir, as the network encodes them, so that a run that is stopped continues,
// and a later one reads them.
func encoded(ctx context.Context, dir string, net *nn.AutoencoderKL, scale float64, p Photos, progress Progress) (*Latents, error) {
	digest, err := modelfile.Digest(nil, net.Params())
	if err != nil {
		return nil, err
	}
	l := &Latents{photos: p, identity: fmt.Sprintf("%s; encoded by %s", p.Identity(), digest)}
	shape, err := latent.Codec{Net: net}.Latent(p.Size, p.Size)
	if err != nil {
		return nil, err
	}
	l.x = tensor.New(p.N, shape...)
	name := sha256.Sum256([]byte(l.identity))
	folder := filepath.Join(dir, "latents", hex.EncodeToString(name[:8]))
	for first := 0; first < p.N; first += shard {
		rows := l.x.Rows(first, min(first+shard, p.N))
		if err := shardOf(ctx, folder, net, p, first, rows); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(first+rows.N, p.N)
		}
	}
	by := scale / net.Config().ScalingFactor // what the network has scaled already
	for i, v := range l.x.Data {
		l.x.Data[i] = float32(by * float64(v))
	}
	return l, nil
}

// shardOf reads a file of latents, or makes it.
func shardOf(ctx context.Context, folder string, net *nn.AutoencoderKL, p Photos, first int, rows tensor.Batch) error {
	path := filepath.Join(folder, fmt.Sprintf("%07d.npz", first))
	arrays, err := dataset.ReadNPZ(path, dataset.ReadOptions{})
	if err == nil && len(arrays) == 1 {
		v, err := arrays[0].Float32s()
		if err == nil && len(v) == len(rows.Data) {
			copy(rows.Data, v)
			return nil
		}
		return &modelfile.Error{Path: path, Reason: fmt.Sprintf("does not hold %d latents of shape %v; remove it, and it is made again", rows.N, rows.Shape), Err: err}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := encodeInto(ctx, net, p, first, rows); err != nil {
		return err
	}
	a, err := dataset.NewArray("latents", append([]int{rows.N}, rows.Shape...), rows.Data)
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(folder); err != nil {
		return err
	}
	return dataset.WriteNPZ(path, a)
}

// encodeInto writes the means of the latents of portraits from number first on.
func encodeInto(ctx context.Context, net *nn.AutoencoderKL, p Photos, first int, rows tensor.Batch) error {
	codec := latent.Codec{Net: net}
	for lo := 0; lo < rows.N; lo += chunk {
		hi := min(lo+chunk, rows.N)
		x, err := drawn(ctx, p, first+lo, hi-lo)
		if err != nil {
			return err
		}
		z, err := codec.Encode(ctx, x, nil, nil)
		if err != nil {
			return err
		}
		copy(rows.Rows(lo, hi).Data, z.Data)
	}
	return nil
}

// drawn returns n portraits of an album from number first on.
func drawn(ctx context.Context, p Photos, first, n int) (tensor.Batch, error) {
	p.Labels = false
	x := tensor.New(n, p.Shape()...)
	return x, parallel.For(ctx, parallel.Workers(0), n, func(_, k int) error {
		p.Example(x.Sample(k), nil, first+k)
		return nil
	})
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
	if err := encodeInto(ctx, net, r.photos(), 0, z); err != nil {
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
