package imitation

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// Recipe is how a policy is trained.
type Recipe struct {
	DownDims     []int        `json:"down_dims"`       // channels of the U-Net by level
	Horizon      int          `json:"horizon"`         // actions of a plan
	Observations int          `json:"n_obs_steps"`     // that a plan is made from
	Actions      int          `json:"n_action_steps"`  // of a plan that are executed
	Diffusion    int          `json:"diffusion_steps"` // of the noise schedule
	Validation   float64      `json:"validation"`      // share of the episodes held out
	Train        train.Config `json:"train"`
}

// The U-Nets: one that trains on a plain processor, and the published one.
var (
	SmallDims     = []int{64, 128, 256}
	PublishedDims = []int{512, 1024, 2048}
)

// DefaultRecipe returns the published sizes with a smaller network, and the training of the
// policy that ships, for a number of steps.
func DefaultRecipe(steps int) Recipe {
	return Recipe{
		DownDims: SmallDims, Horizon: 16, Observations: 2, Actions: 8, Diffusion: 100, Validation: 0.02,
		Train: train.Config{
			Steps: steps, Batch: 128, Seed: 1, Rate: 1e-3, Warmup: min(500, steps/10), Cosine: true, ClipNorm: 1,
			Beta1: 0.95, WeightDecay: 1e-6, LogEvery: 100, ValidationEvery: 500, CheckpointEvery: 1000,
		},
	}
}

// The features that a policy learns from, and what they are.
var features = []policy.Feature{
	{Key: "observation.state", Type: policy.State},
	{Key: "observation.environment_state", Type: policy.Environment},
	{Key: "action", Type: policy.Action},
}

// DataError says what a data set lacks for a policy.
type DataError struct{ Reason string }

func (e *DataError) Error() string { return "imitation: " + e.Reason }

// Examples returns the features of a data set that a policy learns from.
func Examples(d *lerobot.Dataset) (*lerobot.Frames, error) {
	var keys []string
	for _, f := range features {
		if _, ok := d.Features[f.Key]; !ok {
			reason := fmt.Sprintf("the data set has no feature %s; there are %v", f.Key, d.Keys(""))
			if f.Type == policy.Environment {
				reason += ". Policies that only see pictures are not trained here: add the places of what the robot works on as that feature"
			}
			return nil, &DataError{reason}
		}
		keys = append(keys, f.Key)
	}
	return d.Read(keys...)
}

// NewTraining prepares a training in a directory, which becomes the folder of the policy.
func NewTraining(dir string, r Recipe, frames *lerobot.Frames) (*experiment.Training, error) {
	p, err := newPolicy(r, frames)
	if err != nil {
		return nil, err
	}
	data, err := newExamples(r, p, frames)
	if err != nil {
		return nil, err
	}
	s, err := p.Config().Diffusion.Schedule()
	if err != nil {
		return nil, err
	}
	trainer, err := train.New(train.NoiseMSE{Net: network{p.UNet()}, Data: data, Schedule: s}, r.Train)
	if err != nil {
		return nil, err
	}
	return experiment.NewTraining(dir, trainer, func(path string, _ []*nn.Param, _ int, _ float64) error {
		return p.Save(filepath.Dir(path)) // whose parameters are those of the trainer
	})
}

// newPolicy returns the policy that is trained, normalised by the bounds of the data.
func newPolicy(r Recipe, frames *lerobot.Frames) (*policy.Policy, error) {
	c := policy.Config{
		Modes:            map[policy.FeatureType]policy.Mode{policy.State: policy.MinMax, policy.Environment: policy.MinMax, policy.Action: policy.MinMax},
		ObservationSteps: r.Observations, Horizon: r.Horizon, ActionSteps: r.Actions,
		DownDims: r.DownDims, Kernel: 5, Groups: 8, TimeDim: 128,
		Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: r.Diffusion, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: r.Diffusion},
	}
	statistics := map[string]policy.Statistics{}
	for _, f := range features {
		v := frames.Vectors[f.Key]
		f.Shape = []int{v.Size()}
		statistics[f.Key] = bounds(v)
		if f.Type == policy.Action {
			c.Action = f
		} else {
			c.Inputs = append(c.Inputs, f)
		}
	}
	return policy.New(c, statistics, noise.New(r.Train.Seed).Sub("init"), policy.Options{})
}

// bounds returns the least and the largest value of every number.
func bounds(v tensor.Batch) policy.Statistics {
	size := v.Size()
	s := policy.Statistics{Low: make([]float32, size), High: make([]float32, size)}
	for i := range size {
		s.Low[i], s.High[i] = math.MaxFloat32, -math.MaxFloat32
	}
	for at, x := range v.Data {
		i := at % size
		s.Low[i], s.High[i] = min(s.Low[i], x), max(s.High[i], x)
	}
	return s
}

// network is the U-Net of a policy as the trainer takes it.
type network struct{ *nn.ActionUNet }

func (n network) Shape() tensor.Shape {
	c := n.Config()
	return tensor.Shape{c.Horizon, c.ActionDim}
}

func (n network) Kind() schedule.Kind { return n.Config().Prediction }
