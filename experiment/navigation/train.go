package navigation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
	"github.com/go-pcd/pcd/weights"
)

// Recipe says how the model of a map is trained. [DefaultRecipe] is that of the
// shipped models.
type Recipe struct {
	Network plan.Network `json:"network"`
	Train   train.Config `json:"train"`
}

// DefaultRecipe returns the recipe of the shipped models with a number of steps.
// It differs from the published one in the learning rate, which is higher and
// falls to zero, and in the emphasis on noise levels at which the model has to
// find its way from the ends of a path: without it models of the empty map learn
// last, and late, that paths lead straight to the goal.
func DefaultRecipe(steps int) Recipe {
	return Recipe{
		Network: plan.SmallNetwork,
		Train: train.Config{
			Steps: steps, Batch: 128, Seed: 1, Rate: 1e-3, Warmup: min(500, steps/10), Cosine: true, ClipNorm: 1, Emphasis: 6,
			EMA: train.EMA{Max: 0.999}, Validation: 0.02, LogEvery: 100, ValidationEvery: 1000, CheckpointEvery: 1000,
		},
	}
}

// ModelFile is the name of a trained model in the directory of its training.
const ModelFile = "model.safetensors"

// Training is a training of the model of a map in a directory: it starts from the
// last checkpoint there, if there is one.
type Training struct {
	*train.Folder
	dir  string
	spec plan.Spec
}

// NewTraining prepares a training on demonstrations, from random weights or from
// those of a model of the same network. card is what the model will say of itself.
func NewTraining(dir string, r Recipe, demonstrations tensor.Batch, from *plan.Model, card plan.Card) (*Training, error) {
	limits, err := isotropicLimits(demonstrations)
	if err != nil {
		return nil, err
	}
	if from != nil {
		card.Start = &from.Card
	}
	spec := plan.Spec{Network: r.Network, Schedule: plan.PublishedSchedule, Limits: limits, Card: card}
	model, err := initialised(spec, r.Train.Seed, from)
	if err != nil {
		return nil, err
	}
	s, err := schedule.Exponential(spec.Schedule.Steps, spec.Schedule.Start, spec.Schedule.End)
	if err != nil {
		return nil, err
	}
	data := demonstrations.Clone()
	limits.Normalize(data, data)
	config := r.Train
	config.Pins = endpointPins(limits)
	trainer, err := train.New(model.Net, train.Unconditional(data), s, config)
	if err != nil {
		return nil, err
	}
	folder, err := train.OpenFolder(dir, trainer)
	if err != nil {
		return nil, err
	}
	return &Training{Folder: folder, dir: dir, spec: spec}, nil
}

// initialised returns the model that a training starts from.
func initialised(spec plan.Spec, seed uint64, from *plan.Model) (*plan.Model, error) {
	model, err := spec.Build(0)
	if err != nil {
		return nil, err
	}
	if from == nil {
		model.Net.Init(noise.New(seed).Sub("init"))
		return model, nil
	}
	if !reflect.DeepEqual(from.Network, spec.Network) {
		return nil, &plan.ModelError{Path: from.Name, Reason: fmt.Sprintf("has the network %+v, want %+v to start from", from.Network, spec.Network)}
	}
	given := from.Net.Params()
	for i, p := range model.Net.Params() {
		copy(p.Data, given[i].Data)
	}
	model.Net.Refresh()
	return model, nil
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

// Finish writes the averaged weights as a model that package plan opens, in half
// precision, and returns its path.
func (t *Training) Finish() (string, error) {
	card := t.spec.Card
	card.Steps, card.Loss = t.Done(), t.ValidationLoss()
	spec := t.spec
	spec.Card = card
	meta, err := spec.Metadata()
	if err != nil {
		return "", err
	}
	full := filepath.Join(t.dir, "full-"+ModelFile)
	if err := t.Trainer().SaveAverage(full, meta); err != nil {
		return "", err
	}
	path := filepath.Join(t.dir, ModelFile)
	_, err = weights.Convert(full, path, weights.ConvertOptions{DType: weights.F16})
	return path, errors.Join(err, os.Remove(full))
}
