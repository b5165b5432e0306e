package pusht

import (
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// Recipe says how a policy is trained. [DefaultRecipe] is that of the shipped one.
type Recipe struct {
	Network    push.Network `json:"network"`
	Diffusion  int          `json:"diffusion_steps"`
	Mirror     bool         `json:"mirror"`     // learn also from mirror images
	Validation float64      `json:"validation"` // share of the episodes held out
	Train      train.Config `json:"train"`
}

// DefaultRecipe returns the recipe of the shipped policy with a number of steps. It
// is the published one with a smaller network, a higher learning rate and clipped
// gradients, so that it trains on a plain processor.
func DefaultRecipe(steps int) Recipe {
	return Recipe{
		Network: push.SmallNetwork, Diffusion: push.PublishedSteps, Mirror: true, Validation: 0.02,
		Train: train.Config{
			Steps: steps, Batch: 128, Seed: 1, Rate: 1e-3, Warmup: min(500, steps/10), Cosine: true, ClipNorm: 1,
			Beta1: 0.95, WeightDecay: 1e-6, LogEvery: 100, ValidationEvery: 500, CheckpointEvery: 1000,
		},
	}
}

// NewTraining prepares a training on demonstrations. card is what the model will
// say of itself.
func NewTraining(dir string, r Recipe, d *pusht.Demonstrations, card push.Card) (*experiment.Training, error) {
	spec := push.Spec{Network: r.Network, Steps: r.Diffusion, Card: card}
	var err error
	if spec.Observation, err = dataset.FitLinear(d.Observations); err != nil {
		return nil, err
	}
	if spec.Action, err = actionLimits(d.Actions); err != nil {
		return nil, err
	}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	net, err := spec.NewNetwork(0)
	if err != nil {
		return nil, err
	}
	net.Init(noise.New(r.Train.Seed).Sub("init"))
	s, err := spec.Schedule()
	if err != nil {
		return nil, err
	}
	data, err := newExamples(d, spec, r.Validation, r.Mirror)
	if err != nil {
		return nil, err
	}
	trainer, err := train.New(train.NoiseMSE{Net: net, Data: data, Schedule: s}, r.Train)
	if err != nil {
		return nil, err
	}
	return experiment.NewTraining(dir, trainer, func(path string, params []*nn.Param, steps int, loss float64) error {
		spec.Card.Steps, spec.Card.Loss = steps, loss
		return spec.Save(path, params)
	})
}

// actionLimits fits the map of actions to the data and to the range of the
// published policy, so that a speed limit means what it means in the published
// tables as long as the data lie in that range.
func actionLimits(actions tensor.Batch) (dataset.Linear, error) {
	both := actions.Clone()
	both.Data = append(both.Data, push.PublishedActionMin[:]...)
	both.Data = append(both.Data, push.PublishedActionMax[:]...)
	both.N += 2
	return dataset.FitLinear(both)
}
