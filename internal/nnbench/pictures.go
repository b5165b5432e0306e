package nnbench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// way is how a picture is sampled: by a sampler, with or without the contrast of two
// predictions, and by which decoder.
type way struct {
	sampler  latent.Sampler
	guidance float64 // 1 is one prediction a step
	tiny     bool
}

// ways are those of the kinds of networks that go from noise to pictures, as people use them.
var ways = map[string]way{
	"sd21-ddim":  {latent.Sampler{Method: "ddim"}, 7.5, false},
	"sd21-dpm":   {latent.Sampler{Method: "dpm++2m", Sigmas: "karras"}, 7.5, false},
	"sd21-turbo": {latent.Sampler{Method: "euler", Spacing: "trailing"}, 1, true},
}

// sampled tells whether a case goes from noise to pictures.
func (c Case) sampled() bool {
	for kind := range ways {
		if strings.HasPrefix(c.Network, kind+"-") {
			return true
		}
	}
	return false
}

// rounds returns how often a case is measured where others are some times: pictures take
// minutes, which average by themselves.
func (c Case) rounds(others int) int {
	if c.sampled() {
		return 1
	}
	return others
}

// publishedNoise is the schedule of Stable Diffusion 2.1. Source: scheduler_config.json of
// the folder scheduler of its published weights.
const publishedNoise = `{"_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
	"num_train_timesteps": 1000, "prediction_type": "epsilon", "clip_sample": false, "set_alpha_to_one": false, "steps_offset": 1}`

// newPicture returns a maker of pictures by a way. The numbers are the pixels of a side of
// latents, and the steps.
func newPicture(w way) func(c Case, dims []int, threads int) (*subject, error) {
	return func(c Case, dims []int, threads int) (*subject, error) {
		if len(dims) != 2 || dims[0] < 8 || dims[0] > 256 || dims[1] < 1 || dims[1] > 1000 || c.Op != nn.Forward {
			return nil, fmt.Errorf("numbers %v and %s, want the side of latents, 8 to 256, steps, 1 to 1000, and a prediction", dims, c.Op)
		}
		s, err := newUNet2D(c, stableDiffusion(), dims[0], 77, threads)
		if err != nil {
			return nil, err
		}
		p := &picture{subject: *s, way: w}
		p.sampler.Steps = dims[1]
		return p.subjectOf(c, threads)
	}
}

// picture is the subject of a whole model.
type picture struct {
	subject // of its denoising network
	way
	model   latent.Model
	decoder *nn.Map
}

// subjectOf puts a sampler and a decoder around the denoising network.
func (p *picture) subjectOf(c Case, threads int) (*subject, error) {
	net := p.network.(*nn.UNet2DCondition)
	codec, decoder, err := newCodec(p.tiny, threads)
	if err != nil {
		return nil, err
	}
	p.decoder = decoder
	p.model = latent.Model{Net: net, Codec: codec}
	if p.model.Noise, err = latent.ParseNoise([]byte(publishedNoise)); err != nil {
		return nil, err
	}
	s := &subject{network: parts{net, decoder}, in: p.in, predict: p.draw}
	if s.out, err = decoder.Output(p.in); err != nil {
		return nil, err
	}
	decoding, err := decoder.MultiplyAdds(p.in)
	predictions := p.sampler.Steps
	if p.guidance != 1 {
		predictions *= 2
	}
	s.multiplyAdds = predictions*p.multiplyAdds + decoding
	return s, err
}

// draw samples latents from noise and decodes them.
func (p *picture) draw(ctx context.Context, dst, _ tensor.Batch) error {
	dynamics, err := p.model.Dynamics(p.sampler)
	if err != nil {
		return err
	}
	denoiser, err := p.denoiser()
	if err != nil {
		return err
	}
	problem := pcd.Problem{Variables: []pcd.Variable{{Name: "latent", Model: denoiser}}, Dynamics: dynamics}
	drawn, err := pcd.Sample(ctx, problem, pcd.Options{Samples: dst.N, Seed: 1})
	if err != nil {
		return err
	}
	images, err := p.model.Codec.Decode(ctx, drawn.Samples[0], func(int, int) {})
	copy(dst.Data, images.Data)
	return err
}

// denoiser returns the network with what it is told, contrasted with another text on demand.
func (p *picture) denoiser() (denoise.Denoiser, error) {
	told, err := p.model.Net.Bind(p.in[1], p.in[2], p.row(1))
	if err != nil || p.guidance == 1 {
		return told, err
	}
	other, err := p.model.Net.Bind(p.in[1], p.in[2], p.row(2))
	if err != nil {
		return nil, err
	}
	return denoise.ClassifierFree(told, other, p.guidance)
}

// row returns rows of context that stand for a text.
func (p *picture) row(seed uint64) tensor.Batch {
	b := tensor.New(1, 77, p.model.Net.Config().CrossAttentionDim)
	noise.New(seed).Normal(b.Data, b.Size(), noise.Address{})
	return b
}

// newCodec makes the decoder of Stable Diffusion 2.1, or its tiny one.
func newCodec(tiny bool, threads int) (latent.Codec, *nn.Map, error) {
	if tiny {
		a, err := newTiny(threads)
		if err != nil {
			return latent.Codec{}, nil, err
		}
		return latent.Codec{Tiny: a}, a.Decoder, nil
	}
	config := autoencoder()
	config.Workers = threads
	a, err := nn.NewAutoencoderKL(config)
	if err != nil {
		return latent.Codec{}, nil, err
	}
	return latent.Codec{Net: a}, a.Decoder, nil
}

// newTiny makes the tiny autoencoder of Stable Diffusion. Source: config.json of its
// published weights.
func newTiny(threads int) (*nn.AutoencoderTiny, error) {
	return nn.NewAutoencoderTiny(nn.AutoencoderTinyConfig{InChannels: 3, OutChannels: 3, LatentChannels: 4, EncoderWidth: 64, DecoderWidth: 64,
		EncoderBlocks: []int{1, 3, 3, 3}, DecoderBlocks: []int{3, 3, 3, 1}, ScalingFactor: 1, Workers: threads})
}

// newTinyDecoder makes the tiny decoder; the number is the pixels of a side of images.
func newTinyDecoder(_ Case, dims []int, threads int) (*subject, error) {
	side, err := one(dims, 2048)
	if err != nil {
		return nil, err
	}
	a, err := newTiny(threads)
	if err != nil {
		return nil, err
	}
	return newMap(a.Decoder, tensor.Shape{4, side / 8, side / 8})
}

// parts are networks that are measured together.
type parts []network

// Init gives all parts weights.
func (p parts) Init(f noise.Field) {
	for _, n := range p {
		n.Init(f)
	}
}

// Params returns the parameters of all parts.
func (p parts) Params() (all []*nn.Param) {
	for _, n := range p {
		all = slices.Concat(all, n.Params())
	}
	return all
}

// Refresh is to be called after the parameters have changed.
func (p parts) Refresh() {
	for _, n := range p {
		n.Refresh()
	}
}
