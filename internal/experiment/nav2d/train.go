package nav2d

import (
	"fmt"
	"reflect"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// Recipe says how the model of a map is trained. [DefaultRecipe] is that of the
// shipped models.
type Recipe struct {
	Network  plan.Network `json:"network"`
	Emphasis float64      `json:"emphasis"` // on noisy levels; see [train.NoiseMSE]
	Train    train.Config `json:"train"`
}

// DefaultRecipe returns the recipe of the shipped models with a number of steps.
// It differs from the published one in the learning rate, which is higher and
// falls to zero, and in the emphasis on noise levels at which the model has to
// find its way from the ends of a path: without it models of the empty map learn
// last, and late, that paths lead straight to the goal.
func DefaultRecipe(steps int) Recipe {
	return Recipe{
		Network: plan.SmallNetwork, Emphasis: 6,
		Train: train.Config{
			Steps: steps, Batch: 128, Seed: 1, Rate: 1e-3, Warmup: min(500, steps/10), Cosine: true, ClipNorm: 1,
			EMA: train.EMA{Max: 0.999}, Validation: 0.02, LogEvery: 100, ValidationEvery: 1000, CheckpointEvery: 1000,
		},
	}
}

// exampleBytes is what an example of a step takes in training the small network, as
// measured; those of others are as much larger as they are wider.
const exampleBytes = 640 << 10

// NewTraining prepares a training on demonstrations, from random weights or from
// those of a model of the same network. card is what the model will say of itself.
func NewTraining(dir string, r Recipe, demonstrations tensor.Batch, from *plan.Model, card plan.Card) (*experiment.Training, error) {
	if err := experiment.CheckRoom(float64(r.Train.Batch), exampleBytes*float64(r.Network.Width)/float64(plan.SmallNetwork.Width), "examples per step"); err != nil {
		return nil, err
	}
	limits, err := isotropicLimits(demonstrations)
	if err != nil {
		return nil, err
	}
	if from != nil {
		card.Start = &from.Card
	}
	spec := plan.Spec{Network: r.Network, Schedule: plan.PublishedSchedule, Limits: limits, Card: card}
	net, err := initialised(spec, r.Train.Seed, from)
	if err != nil {
		return nil, err
	}
	s, err := schedule.Exponential(spec.Schedule.Steps, spec.Schedule.Start, spec.Schedule.End)
	if err != nil {
		return nil, err
	}
	data := demonstrations.Clone()
	limits.Normalize(data, data)
	trainer, err := train.New(train.NoiseMSE{
		Net: net, Data: train.Unconditional(data), Schedule: s, Emphasis: r.Emphasis, Pins: endpointPins(limits),
	}, r.Train)
	if err != nil {
		return nil, err
	}
	return experiment.NewTraining(dir, trainer, func(path string, params []*nn.Param, steps int, loss float64) error {
		spec.Card.Steps, spec.Card.Loss = steps, loss
		return spec.Save(path, params)
	})
}

// initialised returns the network that a training starts from.
func initialised(spec plan.Spec, seed uint64, from *plan.Model) (*nn.TemporalUNet, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	net, err := spec.NewNetwork(0)
	if err != nil {
		return nil, err
	}
	if from == nil {
		net.Init(noise.New(seed).Sub("init"))
		return net, nil
	}
	if !reflect.DeepEqual(from.Network, spec.Network) {
		return nil, &plan.ModelError{Path: from.Name, Reason: fmt.Sprintf("has the network %+v, want %+v to start from", from.Network, spec.Network)}
	}
	given := from.Net.Params()
	for i, p := range net.Params() {
		copy(p.Data, given[i].Data)
	}
	net.Refresh()
	return net, nil
}

// isotropicLimits returns the limits of the data, made symmetric and equal for x
// and y, and for their velocities: a speed limit is then the same in normalised
// units and in map units in every direction.
func isotropicLimits(x tensor.Batch) (dataset.Limits, error) {
	l, err := dataset.FitLimits(x)
	if err != nil {
		return l, err
	}
	for c := 0; c < len(l.Min); c += 2 {
		widest := float32(0)
		for i := c; i < c+2; i++ {
			widest = max(widest, l.Max[i], -l.Min[i])
		}
		for i := c; i < c+2; i++ {
			l.Min[i], l.Max[i] = -widest, widest
		}
	}
	return l, nil
}

// endpointPins tells the model where a trajectory starts and ends, at rest.
func endpointPins(l dataset.Limits) []train.Pin {
	rest := tensor.New(1, len(l.Min))
	l.Normalize(rest, rest)
	velocity := rest.Data[2:]
	return []train.Pin{{Row: 0, Tail: velocity}, {Row: -1, Tail: velocity}}
}
