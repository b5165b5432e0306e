// Package encoded makes examples to learn from of the latents of pictures, as an autoencoder
// encodes them: once, kept in files, and read again by the next training.
package encoded

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Pictures are what is encoded.
type Pictures interface {
	Len() int
	HeldOut() int        // how many of them, the last, are not learned from
	Shape() tensor.Shape // of a picture, [3, height, width]
	// Picture writes picture i, in [-1, 1].
	Picture(dst []float32, i int) error
	// Identity says how the pictures are made, or of what files.
	Identity() string
}

// Latents are encoded pictures as examples to learn from: the means of their posteriors, times
// a scale. They are train.Data.
type Latents struct {
	X        tensor.Batch
	held     int
	identity string
	shape    tensor.Shape // of a condition
	tell     func(condition []float32, i int)
}

// Tell sets what is told about each latent: a condition of some shape, written by a function.
func (l *Latents) Tell(shape tensor.Shape, tell func(condition []float32, i int)) {
	l.shape, l.tell = shape, tell
}

// Note adds to the identity what else decides about what is learned.
func (l *Latents) Note(text string) { l.identity += "; " + text }

// Len returns the number of latents.
func (l *Latents) Len() int { return l.X.N }

// HeldOut returns how many of them are not learned from.
func (l *Latents) HeldOut() int { return l.held }

// Shape returns the shape of a latent.
func (l *Latents) Shape() tensor.Shape { return l.X.Shape }

// ConditionShape returns the shape of what is told about a latent.
func (l *Latents) ConditionShape() tensor.Shape { return l.shape }

// Identity says how the latents are made.
func (l *Latents) Identity() string { return l.identity }

// Example copies latent i.
func (l *Latents) Example(x, condition []float32, i int) {
	copy(x, l.X.Sample(i))
	if len(condition) > 0 {
		l.tell(condition, i)
	}
}

// Encoder says how pictures are encoded.
type Encoder struct {
	Net   *nn.AutoencoderKL
	Scale float64 // factor of the latents
	// Dir is the folder of the files; each set of latents has one of its own there.
	Dir string
	// Shard is how many latents a file holds: what is lost at most when a run is stopped.
	Shard int
	// Progress is called as pictures are encoded; it may be nil.
	Progress func(done, total int)
}

// Encode returns the latents of pictures. What the files hold is read, and what they do not is
// encoded.
func (e Encoder) Encode(ctx context.Context, p Pictures) (*Latents, error) {
	digest, err := modelfile.Digest(nil, e.Net.Params())
	if err != nil {
		return nil, err
	}
	l := &Latents{held: p.HeldOut(), identity: fmt.Sprintf("%s; encoded by %s", p.Identity(), digest)}
	size := p.Shape()
	shape, err := latent.Codec{Net: e.Net}.Latent(size[1], size[2])
	if err != nil {
		return nil, err
	}
	l.X = tensor.New(p.Len(), shape...)
	name := sha256.Sum256([]byte(l.identity))
	folder := filepath.Join(e.Dir, hex.EncodeToString(name[:8]))
	for first := 0; first < p.Len(); first += e.Shard {
		rows := l.X.Rows(first, min(first+e.Shard, p.Len()))
		if err := e.shard(ctx, folder, p, first, rows); err != nil {
			return nil, err
		}
		if e.Progress != nil {
			e.Progress(first+rows.N, p.Len())
		}
	}
	by := e.Scale / e.Net.Config().ScalingFactor // what the network has scaled already
	for i, v := range l.X.Data {
		l.X.Data[i] = float32(by * float64(v))
	}
	return l, nil
}

// shard reads a file of latents, or makes it.
func (e Encoder) shard(ctx context.Context, folder string, p Pictures, first int, rows tensor.Batch) error {
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
	if err := e.Into(ctx, p, first, rows); err != nil {
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

// chunk is how many pictures are made and encoded at once.
const chunk = 16

// Into writes the latents of pictures from number first on, scaled as the network does.
func (e Encoder) Into(ctx context.Context, p Pictures, first int, rows tensor.Batch) error {
	codec := latent.Codec{Net: e.Net}
	for lo := 0; lo < rows.N; lo += chunk {
		hi := min(lo+chunk, rows.N)
		x, err := Draw(ctx, p, first+lo, hi-lo)
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

// Draw returns n pictures from number first on.
func Draw(ctx context.Context, p Pictures, first, n int) (tensor.Batch, error) {
	x := tensor.New(n, p.Shape()...)
	return x, parallel.For(ctx, parallel.Workers(0), n, func(_, k int) error { return p.Picture(x.Sample(k), first+k) })
}
