package latent

import (
	"context"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Codec is an autoencoder with the scale of its latents.
type Codec struct {
	Net *nn.AutoencoderKL // nil where Tiny does everything
	// Tiny, if not nil, decodes instead of Net, and encodes where Net is nil.
	Tiny *nn.AutoencoderTiny
	// Chunk is how many images are taken at a time; 0 is 4.
	Chunk int
}

// chunk is how many images pass an autoencoder together by default: enough to use its
// weights more than once, few enough for its activations to fit.
const chunk = 4

// decoder returns the network that decodes, and what latents are divided by for it.
func (c Codec) decoder() (net *nn.Map, scale float64) {
	if c.Tiny != nil {
		return c.Tiny.Decoder, c.Tiny.Config().ScalingFactor
	}
	return c.Net.Decoder, c.Net.Config().ScalingFactor
}

// encoder returns the network that encodes.
func (c Codec) encoder() *nn.Map {
	if c.Net == nil {
		return c.Tiny.Encoder
	}
	return c.Net.Encoder
}

// Channels returns those of latents and of images.
func (c Codec) Channels() (latents, images int) {
	if c.Net == nil {
		t := c.Tiny.Config()
		return t.LatentChannels, t.OutChannels
	}
	n := c.Net.Config()
	return n.LatentChannels, n.OutChannels
}

// stride returns how many pixels a number of a latent stands for, each way.
func (c Codec) stride() int {
	if c.Net == nil {
		t := c.Tiny.Config()
		return t.Step()
	}
	return 1 << (len(c.Net.Config().BlockOutChannels) - 1)
}

// widest returns the channels of the widest activation of an image.
func (c Codec) widest() int {
	if c.Tiny != nil {
		return c.Tiny.Config().DecoderWidth
	}
	return c.Net.Config().BlockOutChannels[0]
}

// Latent returns the shape of the latents of images of height × width, or an
// [nn.ShapeError].
func (c Codec) Latent(height, width int) (tensor.Shape, error) {
	latents, images := c.Channels()
	moments, err := c.encoder().Output(tensor.Shape{images, height, width})
	if err != nil {
		return nil, err
	}
	return tensor.Shape{latents, moments[1], moments[2]}, nil
}

// Encode returns the scaled latents of images, [n, 3, height, width] in [-1, 1]: means
// of their posteriors, or samples of them if draws is not nil, with the numbers
// draws[k] for image k; a tiny autoencoder has one latent. Progress, if not nil, is called as images are done.
func (c Codec) Encode(ctx context.Context, images tensor.Batch, draws []float32, progress func(done, total int)) (tensor.Batch, error) {
	shape, err := c.Latent(images.Shape[1], images.Shape[2])
	if err != nil {
		return tensor.Batch{}, err
	}
	out := tensor.New(images.N, shape...)
	if c.Net == nil {
		err := c.inChunks(images.N, progress, func(lo, hi int) error {
			return c.Tiny.Encoder.Apply(ctx, out.Rows(lo, hi), images.Rows(lo, hi))
		})
		rescale(out, c.Tiny.Config().ScalingFactor)
		return out, err
	}
	moments := tensor.New(min(images.N, c.chunk()), 2*shape[0], shape[1], shape[2])
	err = c.inChunks(images.N, progress, func(lo, hi int) error {
		m := moments.Rows(0, hi-lo)
		if err := c.Net.Encoder.Apply(ctx, m, images.Rows(lo, hi)); err != nil {
			return err
		}
		p := c.Net.Posterior(m)
		z := out.Rows(lo, hi)
		if draws == nil {
			copy(z.Data, p.Mean.Data)
		} else {
			p.Sample(z, draws[lo*shape.Size():hi*shape.Size()])
		}
		return nil
	})
	rescale(out, c.Net.Config().ScalingFactor)
	return out, err
}

// PosteriorNoise returns what [Codec.Encode] needs to draw n latents at random: numbers
// that belong to the seed and to the place of an image.
func PosteriorNoise(f noise.Field, n int, shape tensor.Shape) []float32 {
	out := make([]float32, n*shape.Size())
	f.Sub("posterior").Normal(out, shape.Size(), noise.Address{})
	return out
}

// Decode returns the images of scaled latents, [n, 3, height, width], about in [-1, 1].
// Progress, if not nil, is called as images are done.
func (c Codec) Decode(ctx context.Context, latents tensor.Batch, progress func(done, total int)) (tensor.Batch, error) {
	net, scale := c.decoder()
	shape, err := net.Output(latents.Shape)
	if err != nil {
		return tensor.Batch{}, err
	}
	out := tensor.New(latents.N, shape...)
	err = c.inChunks(latents.N, progress, func(lo, hi int) error {
		z := latents.Rows(lo, hi).Clone()
		rescale(z, 1/scale)
		return net.Apply(ctx, out.Rows(lo, hi), z)
	})
	return out, err
}

func (c Codec) chunk() int {
	if c.Chunk > 0 {
		return c.Chunk
	}
	return chunk
}

// inChunks calls f for pieces of n images, and progress, if not nil, after each.
func (c Codec) inChunks(n int, progress func(done, total int), f func(lo, hi int) error) error {
	for lo := 0; lo < n; lo += c.chunk() {
		hi := min(lo+c.chunk(), n)
		if err := f(lo, hi); err != nil {
			return err
		}
		if progress != nil {
			progress(hi, n)
		}
	}
	return nil
}

func rescale(b tensor.Batch, by float64) {
	for i, v := range b.Data {
		b.Data[i] = float32(float64(v) * by)
	}
}
