package pair

import (
	"context"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// steer makes the problem that of ControlNet-XS: DDIM with the published noise, by models
// that draw along the edges of the mean exemplar of their member.
func steer(ctx context.Context, s *setup, p *pcd.Problem) (err error) {
	p.Dynamics, err = s.Model.Dynamics(latent.Sampler{Steps: s.Steps, Deterministic: true, Eta: published.ControlEta})
	if err != nil {
		return err
	}
	for i := range s.Members {
		mean, err := s.meanExemplar(ctx, i)
		if err != nil {
			return err
		}
		c := s.told(i)
		c.Steer = &latent.Steering{Net: s.modelOf(i).Control, Hint: latent.Edges(mean), Scale: s.Choices.Control}
		if p.Variables[i].Model, err = s.denoiser(ctx, i, c); err != nil {
			return err
		}
	}
	return nil
}

// meanExemplar returns the picture of the mean of the latents of a member's exemplars.
func (s *setup) meanExemplar(ctx context.Context, i int) (*dataset.Picture, error) {
	e := s.exemplars[i]
	mean := tensor.New(1, e.Shape...)
	for j := range mean.Data {
		sum := 0.0
		for k := range e.N {
			sum += float64(e.Sample(k)[j])
		}
		mean.Data[j] = float32(sum / float64(e.N))
	}
	image, err := s.modelOf(i).Codec.Decode(ctx, mean, nil)
	if err != nil {
		return nil, err
	}
	return latent.Pictures(image)[0], nil
}
