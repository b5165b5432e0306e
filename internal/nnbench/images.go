package nnbench

import (
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// imageUNet is the network of small images, of latents with some channels.
func imageUNet(channels int) nn.UNet2DConfig {
	return nn.UNet2DConfig{SampleSize: 16, InChannels: channels, OutChannels: channels, BlockOutChannels: []int{64, 96, 96},
		DownAttention: []bool{false, true, false}, UpAttention: []bool{false, true, false}, LayersPerBlock: 1,
		Heads: []int{4, 4, 4}, TransformerLayers: []int{1, 1, 1}, CrossAttentionDim: 64, UseLinearProjection: true,
		NormNumGroups: 16, NormEps: 1e-5, FlipSinToCos: true}
}

// stableDiffusion is the denoising network of Stable Diffusion 2.1. Source: config.json of
// the folder unet of its published weights.
func stableDiffusion() nn.UNet2DConfig {
	return nn.UNet2DConfig{SampleSize: 64, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{320, 640, 1280, 1280},
		DownAttention: []bool{true, true, true, false}, UpAttention: []bool{false, true, true, true}, LayersPerBlock: 2,
		Heads: []int{5, 10, 20, 20}, TransformerLayers: []int{1, 1, 1, 1}, CrossAttentionDim: 1024, UseLinearProjection: true,
		NormNumGroups: 32, NormEps: 1e-5, FlipSinToCos: true}
}

// autoencoder is that of Stable Diffusion 2.1. Source: config.json of the folder vae of
// its published weights.
func autoencoder() nn.AutoencoderConfig {
	return nn.AutoencoderConfig{InChannels: 3, OutChannels: 3, LatentChannels: 4, BlockOutChannels: []int{128, 256, 512, 512},
		LayersPerBlock: 2, NormNumGroups: 32, ScalingFactor: 0.18215}
}

// newImageUNet makes the network of small images; the number is the channels of latents.
func newImageUNet(c Case, dims []int, threads int) (*subject, error) {
	channels, err := one(dims, 64)
	if err != nil {
		return nil, err
	}
	return newUNet2D(c, imageUNet(channels), 16, 8, threads)
}

// newStableDiffusion makes the network of Stable Diffusion; the number is the pixels of a
// side of latents.
func newStableDiffusion(c Case, dims []int, threads int) (*subject, error) {
	side, err := one(dims, 256)
	if err != nil {
		return nil, err
	}
	return newUNet2D(c, stableDiffusion(), side, 77, threads)
}

// newUNet2D makes a network of images of side×side with some rows of context.
func newUNet2D(c Case, config nn.UNet2DConfig, side, rows, threads int) (*subject, error) {
	config.Workers = threads
	n, err := nn.NewUNet2DCondition(config)
	if err != nil {
		return nil, err
	}
	s := &subject{network: n, condition: normals(c.Batch, rows, config.CrossAttentionDim)}
	bound, err := n.Bind(side, side, s.condition)
	if err != nil {
		return nil, err
	}
	s.computes(bound)
	s.multiplyAdds = n.MultiplyAdds(side, side, rows)
	s.newTraining = func() (*nn.Training, error) { return n.NewTraining(c.Batch, side, side, rows) }
	return s, nil
}

// newDecoder makes the decoder of Stable Diffusion; the number is the pixels of a side of
// images.
func newDecoder(_ Case, dims []int, threads int) (*subject, error) {
	side, err := one(dims, 2048)
	if err != nil {
		return nil, err
	}
	config := autoencoder()
	config.Workers = threads
	a, err := nn.NewAutoencoderKL(config)
	if err != nil {
		return nil, err
	}
	return newMap(a.Decoder, tensor.Shape{4, side / 8, side / 8})
}

// newLatentClassifier makes the published classifier of latents; the number is the pixels
// of a side.
func newLatentClassifier(_ Case, dims []int, threads int) (*subject, error) {
	side, err := one(dims, 256)
	if err != nil {
		return nil, err
	}
	n, err := nn.NewClassifier(nn.ClassifierConfig{InChannels: 4, Workers: threads, Heads: []nn.ClassifierHead{
		{Name: "age_group", Hidden: 256, Classes: make([]string, 10)}, {Name: "gender", Hidden: 128, Classes: make([]string, 2)}}})
	if err != nil {
		return nil, err
	}
	return newMap(&n.Map, tensor.Shape{4, side, side})
}

// newMap returns the subject of a network without a timestep.
func newMap(m *nn.Map, in tensor.Shape) (*subject, error) {
	s := &subject{network: m, in: in, predict: m.Apply, pull: m.VJP}
	var err error
	if s.out, err = m.Output(in); err != nil {
		return nil, err
	}
	s.multiplyAdds, err = m.MultiplyAdds(in)
	return s, err
}
