package imitation

import (
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/experiment"
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
	Resize       int          `json:"resize"`          // height of a picture before the crop; 0 leaves it as it is
	Crop         float64      `json:"crop_ratio"`      // share of the sides of a picture that is seen
	Keypoints    int          `json:"keypoints"`       // that are looked for in a picture
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
		DownDims: SmallDims, Horizon: 16, Observations: 2, Actions: 8, Diffusion: 100, Validation: 0.02, Crop: 0.875, Keypoints: 32,
		Train: train.Config{
			Steps: steps, Batch: 128, Seed: 1, Rate: 1e-3, Warmup: min(500, steps/10), Cosine: true, ClipNorm: 1,
			Beta1: 0.95, WeightDecay: 1e-6, LogEvery: 100, ValidationEvery: 500, CheckpointEvery: 1000,
		},
	}
}

// NewTraining prepares a training in a directory, which becomes the folder of the policy.
func NewTraining(dir string, r Recipe, d *Demonstrations) (*experiment.Training, error) {
	p, err := newPolicy(r, d)
	if err != nil {
		return nil, err
	}
	data, err := newExamples(r, p, d)
	if err != nil {
		return nil, err
	}
	s, err := p.Config().Diffusion.Schedule()
	if err != nil {
		return nil, err
	}
	var objective train.Objective = train.NoiseMSE{Net: network{p.UNet()}, Data: data, Schedule: s}
	if c := p.Config(); len(c.Cameras()) > 0 {
		objective = seeing{policy: p, data: data, shown: d, schedule: s}
	}
	trainer, err := train.New(objective, r.Train)
	if err != nil {
		return nil, err
	}
	return experiment.NewTraining(dir, trainer, func(path string, _ []*nn.Param, _ int, _ float64) error {
		return p.Save(filepath.Dir(path)) // whose parameters are those of the trainer
	})
}

// newPolicy returns the policy that is trained: vectors are normalised by the bounds of the data,
// pictures by their mean and deviation.
func newPolicy(r Recipe, d *Demonstrations) (*policy.Policy, error) {
	c := policy.Config{
		Modes:  map[policy.FeatureType]policy.Mode{policy.State: policy.MinMax, policy.Environment: policy.MinMax, policy.Action: policy.MinMax},
		Inputs: d.features[:len(d.features)-1], Action: d.features[len(d.features)-1],
		ObservationSteps: r.Observations, Horizon: r.Horizon, ActionSteps: r.Actions,
		DownDims: r.DownDims, Kernel: 5, Groups: 8, TimeDim: 128,
		Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: r.Diffusion, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: r.Diffusion},
	}
	if cameras := c.Cameras(); len(cameras) > 0 {
		c.Modes[policy.Visual] = policy.MeanStd
		c.Backbone, c.GroupNorm, c.Keypoints, c.SeparateEncoders = "resnet18", true, r.Keypoints, len(cameras) > 1
		size := [2]int(cameras[0].Shape[1:])
		if r.Resize > 0 {
			c.Resize = [2]int{r.Resize, max(1, int(math.Round(float64(r.Resize*size[1])/float64(size[0]))))}
			size = c.Resize
		}
		if r.Crop < 1 {
			c.Crop = [2]int{int(math.Floor(float64(size[0]) * r.Crop)), int(math.Floor(float64(size[1]) * r.Crop))}
		}
	}
	return policy.New(c, d.statistics(), noise.New(r.Train.Seed).Sub("init"), policy.Options{})
}

// network is the U-Net of a policy as the trainer takes it.
type network struct{ *nn.ActionUNet }

func (n network) Shape() tensor.Shape {
	c := n.Config()
	return tensor.Shape{c.Horizon, c.ActionDim}
}

func (n network) Kind() schedule.Kind { return n.Config().Prediction }
