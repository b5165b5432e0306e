package pair

import (
	"context"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/latent"
)

// synchronize makes the problem that of SyncDiffusion: DDIM without noise, and before
// every step a move down the gradient of the coupling cost that the guide sees in the
// pictures of the clean estimates.
func synchronize(_ context.Context, s *setup, p *pcd.Problem) error {
	dynamics, err := s.Model.Dynamics(latent.Sampler{Steps: s.Steps, Deterministic: true})
	if err != nil {
		return err
	}
	question := s.Model.Guide.Net.Question(s.Attribute.question(s.Model.Guide))
	*p, err = latent.Synchronized{
		Members: s.ensemble.Members, Dynamics: dynamics, Codec: s.Model.Codec,
		Pair:   cost.XOR{Classifier: question, Groups: s.groups, Rotation: s.Rotation},
		Weight: s.Choices.SyncWeight, Decay: published.SyncDecay, Together: s.SyncTogether,
	}.Problem()
	return err
}
